package order

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/record/audit"
)

func TestStatuses(t *testing.T) {
	rows := []struct {
		status Status
		traits string
	}{
		{Request, "counts holds open first erasable"},
		{Reserved, "counts holds open first"},
		{InRent, "counts holds open lines closes out"},
		{Cancelled, "erasable fees"},
		{Completed, "counts lines out over"},
		{Debtor, "counts holds out over"},
	}
	if len(rows) != len(Status(0).Values()) {
		t.Errorf("%d statuses, and the table has %d", len(Status(0).Values()), len(rows))
	}
	for _, tt := range rows {
		client, got := int64(1), ""
		o := &Order{Status: tt.status, Client: &client}
		for _, trait := range []struct {
			name string
			has  bool
		}{
			{"counts", tt.status.Counts()},
			{"holds", o.holdsClient()},
			{"open", o.IsOpen()},
			{"first", tt.status.IsFirst()},
			{"erasable", tt.status.is(traitErasable)},
			{"lines", tt.status.is(traitOfLines)},
			{"closes", tt.status.is(traitCloses)},
			{"out", slices.Contains(having(traitHandedOut), int64(tt.status))},
			{"over", tt.status.is(traitOver)},
			{"fees", tt.status.is(traitOwesFees)},
		} {
			if trait.has {
				got += " " + trait.name
			}
		}
		if got != " "+tt.traits {
			t.Errorf("%d:%s, want %s", tt.status, got, tt.traits)
		}
	}
}

// An order that an action may complete is completed by its last item, too: else it would stay as it is for ever.
func TestWhatIsCompletedCloses(t *testing.T) {
	for s, is := range statuses {
		if slices.Contains(is.next, Completed) != s.is(traitCloses) {
			t.Errorf("%s: next %v, closes %t", is.name, is.next, s.is(traitCloses))
		}
	}
}

// What follows depends on where the items of the order are, too.
func TestAllowed(t *testing.T) {
	planned, out, back := Held{End: 1}, Held{End: 1, State: Out}, Held{End: 1, State: Returned}
	sold := Held{State: Out}
	for _, tt := range []struct {
		status Status
		lines  []Held
		want   string
	}{
		{Request, nil, "[1 3]"},
		{Request, []Held{planned}, "[1 3]"},
		{Reserved, nil, "[2 3]"},
		{Reserved, []Held{planned}, "[2 3]"},
		{InRent, nil, "[4]"},
		{InRent, []Held{planned}, "[2]"},
		{InRent, []Held{out}, "[4]"},
		{InRent, []Held{planned, out, back}, "[2 4]"},
		{InRent, []Held{back, sold}, "[]"},
		{Cancelled, []Held{planned}, "[]"},
		{Completed, []Held{back}, "[]"},
		{Debtor, nil, "[]"},
	} {
		if got := fmt.Sprint((&Order{Status: tt.status, Lines: tt.lines}).Allowed()); got != tt.want {
			t.Errorf("%d with %+v: %s, want %s", tt.status, tt.lines, got, tt.want)
		}
	}
}

// The table holds statuses as the numbers that they are.
func TestStatusesAreStoredAsNumbers(t *testing.T) {
	status := Debtor
	item, err := dynamo.MarshalItem(struct {
		Status Status    `dynamo:"st"`
		None   Status    `dynamo:"no,omitempty"`
		Other  *Status   `dynamo:"ot,omitempty"`
		Null   *LineType `dynamo:"nu,omitempty"`
	}{Status: status, Other: &status})
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Status Status  `dynamo:"st"`
		Other  *Status `dynamo:"ot"`
	}
	if err := dynamo.UnmarshalItem(item, &back); err != nil || back.Status != Debtor || back.Other == nil || *back.Other != Debtor {
		t.Errorf("%+v, %v", back, err)
	}
	for _, name := range []string{"st", "ot"} {
		if n, ok := item[name].(*types.AttributeValueMemberN); !ok || n.Value != "5" {
			t.Errorf("%s is %#v", name, item[name])
		}
	}
	if len(item) != 2 {
		t.Errorf("got %v", item)
	}
}

// A change of the status is told once, whatever the status was before.
func TestStepped(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"0", "1", "[reserved]"},
		{"1", "2", "[handed_out]"},
		{"1", "0", "[]"},
		{"0", "3", "[cancelled]"},
		{"2", "4", "[completed]"},
		{"2", "5", "[completed debtor]"},
		{"3", "4", "[completed]"},
		{"null", "5", "[completed debtor]"},
		{"4", "5", "[debtor]"},
		{"5", "4", "[settled]"},
		{"2", "null", "[]"},
	} {
		kinds := []EventKind{}
		for _, e := range stepped(audit.Change{From: []byte(tt.from), To: []byte(tt.to)}, nil) {
			if kinds = append(kinds, e.Kind); !slices.ContainsFunc(e.Kind.Values(), func(v enum.Value) bool { return v.Text == string(e.Kind) }) {
				t.Errorf("%s is no kind of an event", e.Kind)
			}
		}
		if got := fmt.Sprint(kinds); got != tt.want {
			t.Errorf("from %s to %s: %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
	if got := stepped(audit.Change{From: []byte("1"), To: []byte("2")}, []Event{{Kind: "handed_out"}}); len(got) != 0 {
		t.Errorf("the hand-out is told of each item: %v", got)
	}
}
