package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/fault/faulttest"
	"github.com/tenantry/tenantry/shared/say"
)

func TestFields(t *testing.T) {
	f := fault.FieldErrors{}
	if f.Err() != nil {
		t.Error("no errors are an error")
	}
	f.Nest("legal", fault.FieldErrors{})
	if f.Err() != nil {
		t.Error("an empty object of errors is an error")
	}
	f.Add("name", say.Required)
	f.Add("name", say.Blank) // what is said first stands
	f.Nest("legal", fault.FieldErrors{"bin": []say.Message{say.NotUnique}})
	f["rows"] = []fault.FieldErrors{{}, {"n": []say.Message{say.InvalidInteger}}}
	e, ok := fault.As(fmt.Errorf("store: %w", f.Err()))
	if !ok || e.Code != fault.Invalid {
		t.Fatalf("got %v", e)
	}
	want := `{"legal":{"bin":["This field must be unique."]},"name":["This field is required."],` +
		`"rows":[{},{"n":["A valid integer is required."]}]}`
	if got, err := json.Marshal(faulttest.English(e.Fields)); err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(e.Error(), "name") {
		t.Errorf("log text %q", e)
	}
}

func TestIdentity(t *testing.T) {
	cause := errors.New("cause")
	err := fmt.Errorf("store: %w", fault.ErrNotFound.Because(cause).With("kind", "doc"))
	for _, target := range []error{fault.ErrNotFound, &fault.Error{Code: fault.NotFound}, cause} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
	for _, target := range []error{fault.ErrInvalidPage, fault.ErrForbidden, &fault.Error{Code: fault.Conflict}} {
		if errors.Is(err, target) {
			t.Errorf("%v is %v", err, target)
		}
	}
	if _, ok := fault.As(cause); ok {
		t.Error("any error is a fault")
	}
}

func TestCopies(t *testing.T) {
	a := fault.New(fault.Conflict, "Busy.")
	b := a.With("code", "busy")
	c := b.With("conflicts", []int{1}).Because(errors.New("x"))
	if a.Members != nil || len(b.Members) != 1 || len(c.Members) != 2 || errors.Unwrap(a) != nil || errors.Unwrap(b) != nil {
		t.Errorf("a copy changed its original: %v %v %v", a.Members, b.Members, c.Members)
	}
}

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		say.TooLong(255).Error():                              "Ensure this field has no more than 255 characters.",
		say.InvalidChoice(7).Error():                          `"7" is not a valid choice.`,
		say.DoesNotExist(99).Error():                          `Invalid pk "99" - object does not exist.`,
		say.WrongType("dictionary", "list").Error():           "Invalid data. Expected a dictionary, but got list.",
		fault.TooMany(time.Minute).Detail.Error():             "Request was throttled. Expected available in 60 seconds.",
		fault.TooMany(1500 * time.Millisecond).Detail.Error(): "Request was throttled. Expected available in 2 seconds.",
		fault.TooMany(time.Millisecond).Detail.Error():        "Request was throttled. Expected available in 1 second.",
		fault.TooMany(0).RetryAfter.String():                  "1s",
		fault.TooMany(-time.Hour).RetryAfter.String():         "1s",
		fault.ErrUnavailable.RetryAfter.String():              "1s",
		fault.Field("domain", say.NotUnique).Error():          "invalid: map[domain:[This field must be unique.]]",
		fault.ErrForbidden.Because(errors.New("x")).Error():   "forbidden: You do not have permission to perform this action.: x",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
