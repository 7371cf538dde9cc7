package document

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
)

func TestSignByLink(t *testing.T) {
	const day, life = 24 * time.Hour, 90 * 24 * time.Hour
	begin := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	at := func(days int) int64 { return begin.Add(time.Duration(days) * day).UnixMicro() }
	signed := newStage(Confirmation, Signed, Act{At: begin.Add(60 * day), Method: SMS}, [3]byte{})
	for name, c := range map[string]struct {
		sign    Sign
		ends    int   // the day
		sealed  int64 // when; 0: not
		deleted int64
	}{
		"sent":                       {sign: Sign{Status: Ready, Linked: at(0), UpdatedAt: at(0)}, ends: 90},
		"used since":                 {sign: Sign{Status: Confirmation, Linked: at(0), UpdatedAt: at(50)}, ends: 90},
		"sent again":                 {sign: Sign{Status: Viewing, Linked: at(40), UpdatedAt: at(40)}, ends: 130},
		"signed":                     {sign: Sign{Status: Signed, Linked: at(0), UpdatedAt: at(60), Stages: []Stage{signed}}, ends: 150},
		"sealed later":               {sign: Sign{Status: Signed, Linked: at(0), Stages: []Stage{signed}}, ends: 290, sealed: at(200)},
		"withdrawn":                  {sign: Sign{Status: Signed, Linked: at(0), Stages: []Stage{signed}}, ends: 190, deleted: at(100)},
		"open when it was withdrawn": {sign: Sign{Status: Viewing, Linked: at(0)}, ends: 90, deleted: at(10)},
		"rejected":                   {sign: Sign{Status: Rejected, Linked: at(10), UpdatedAt: at(60)}, ends: 100},
		"sent after it was reopened": {sign: Sign{Status: Ready, Linked: at(70), UpdatedAt: at(70), Stages: []Stage{signed}}, ends: 160},
	} {
		t.Run(name, func(t *testing.T) {
			c.sign.UUID = uuid.New()
			d := Document{Signs: []Sign{c.sign}}
			if d.Deleted = moment.Micros(c.deleted); c.sealed != 0 {
				d.Seal = &Seal{At: c.sealed}
			}
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
