package document

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
)

func TestSignByLink(t *testing.T) {
	const day, life = 24 * time.Hour, 90 * 24 * time.Hour
	begin := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	at := func(days int) int64 { return begin.Add(time.Duration(days) * day).UnixMicro() }
	signed := newStage(Confirmation, Signed, Act{At: begin.Add(60 * day), Method: SMS}, [3]byte{})
	for name, c := range map[string]struct {
		sign Sign
		ends int // the day
	}{
		"sent":                       {Sign{Status: Ready, Linked: at(0), UpdatedAt: at(0)}, 90},
		"used since":                 {Sign{Status: Confirmation, Linked: at(0), UpdatedAt: at(50)}, 90},
		"sent again":                 {Sign{Status: Viewing, Linked: at(40), UpdatedAt: at(40)}, 130},
		"signed":                     {Sign{Status: Signed, Linked: at(0), UpdatedAt: at(60), Stages: []Stage{signed}}, 150},
		"rejected":                   {Sign{Status: Rejected, Linked: at(10), UpdatedAt: at(60)}, 100},
		"of a record before":         {Sign{Status: Viewing, UpdatedAt: at(5)}, 95},
		"signed in a record before":  {Sign{Status: Signed, UpdatedAt: at(60), Stages: []Stage{signed}}, 150},
		"sent after it was reopened": {Sign{Status: Ready, Linked: at(70), UpdatedAt: at(70), Stages: []Stage{signed}}, 160},
	} {
		t.Run(name, func(t *testing.T) {
			c.sign.UUID = uuid.New()
			d := Document{Signs: []Sign{c.sign}}
			end := time.UnixMicro(at(c.ends))
			if s, err := d.SignByLink(c.sign.UUID, life, end.Add(-time.Microsecond)); err != nil || s.UUID != c.sign.UUID {
				t.Error(err)
			}
			if _, err := d.SignByLink(c.sign.UUID, life, end); !errors.Is(err, ErrLinkExpired) {
				t.Error(err)
			}
			if _, err := d.SignByLink(uuid.New(), life, begin); !errors.Is(err, fault.ErrNotFound) || errors.Is(err, ErrLinkExpired) {
				t.Error(err)
			}
		})
	}
}
