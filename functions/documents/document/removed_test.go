package document

import (
	"testing"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/keys"
)

func TestRemoveSign(t *testing.T) {
	for name, c := range map[string]struct {
		statuses []Status
		want     string // the code of the fault
	}{
		"an open one":       {[]Status{Viewing, Signed}, ""},
		"a rejected one":    {[]Status{Rejected}, ""},
		"a signed one":      {[]Status{Signed, Draft}, "status"},
		"one of all signed": {[]Status{Signed, Signed}, "signed"},
	} {
		d := signable()
		for i, status := range c.statuses {
			d.Signs = append(d.Signs, Sign{ID: int64(i + 1), Status: status})
		}
		before := d.Signs
		s, err := d.Sign(1)
		if err == nil {
			err = d.Removable(s)
		}
		if err == nil {
			d.drop(1)
		}
		f, _ := fault.As(err)
		if c.want == "" && (err != nil || len(d.Signs) != len(before)-1) || c.want != "" && (f == nil || f.Members["code"] != c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if len(before) != len(c.statuses) || before[0].ID != 1 {
			t.Errorf("%s: the document that was read has changed", name)
		}
	}
}

// A sign to which something has happened is kept, up to a limit; a draft is not.
func TestWhatIsKeptOfRemovedSigns(t *testing.T) {
	draft, ready := newStage(Draft, Draft, Act{}, keys.ID{1}), newStage(Draft, Ready, Act{}, keys.ID{1})
	for name, c := range map[string]struct {
		stages  []Stage
		removed int
		keeps   bool
		code    any
	}{
		"a draft":                {[]Stage{draft}, maxGone, false, nil},
		"one that was ready":     {[]Stage{draft, ready}, maxGone - 1, true, nil},
		"one more than there is": {[]Stage{draft, ready}, maxGone, true, "removed"},
		"one that is damaged":    {[]Stage{draft[:9]}, 0, true, nil},
	} {
		d := signable()
		d.Signs, d.Removed = []Sign{{ID: 1, Status: Draft, Stages: c.stages}}, make([]Sign, c.removed)
		var code any
		if f, _ := fault.As(d.Removable(&d.Signs[0])); f != nil {
			code = f.Members["code"]
		}
		if code != c.code || d.Signs[0].HasHistory() != c.keeps {
			t.Errorf("%s: code %v, kept %t", name, code, d.Signs[0].HasHistory())
		}
	}
	for _, stages := range []int{1, 28, 29} { // the record of a sign has room for its removal
		s := Sign{Status: Rejected, Stages: make([]Stage, stages)}
		if to, err := s.Allows(Remove); err != nil || to != Gone {
			t.Errorf("after %d stages: %d, %v", stages, to, err)
		}
	}
}
