package document

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/enum"
)

// Values leaves Gone and NoMethod out, because no answer shows them.
func TestValues(t *testing.T) {
	if got := enum.Texts(Gone.Values()); !slices.Equal(got, []string{"0", "1", "2", "3", "4", "5"}) {
		t.Errorf("statuses %q", got)
	}
	if got := enum.Texts(NoMethod.Values()); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("methods %q", got)
	}
}

// What statuses have in common, and which triggers leave a sign as it is.
func TestTraits(t *testing.T) {
	for status, want := range map[Status]trait{
		Draft: 0, Ready: 0, Viewing: opened, Confirmation: opened | locks, Rejected: end, Signed: end | locks, Gone: end | hidden,
	} {
		for _, one := range []trait{opened, locks, end, hidden} {
			if got := status.is(one); got != (want&one != 0) {
				t.Errorf("status %d, trait %d: %t", status, one, got)
			}
		}
		for trigger, to := range statuses[status].moves {
			if (trigger == Resend || trigger == Ask && status == Confirmation || trigger == Send && status == Ready) != (to == status) {
				t.Errorf("status %d, trigger %d leads to %d", status, trigger, to)
			}
		}
	}
}
