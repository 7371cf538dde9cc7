package invoke_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/invoke"
)

func TestInProcess(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, row := range map[string]struct {
		ctx  context.Context
		f    invoke.Function
		want string
	}{
		"an error keeps type and text": {
			t.Context(), func(context.Context, []byte) ([]byte, error) { return []byte("x"), errors.New("no room") },
			"invoke: press failed: *errors.errorString: no room",
		},
		"a panic is an error": {
			t.Context(), func(context.Context, []byte) ([]byte, error) { panic("no paper") },
			"invoke: press failed: panic: no paper",
		},
		"nobody waits any longer": {
			gone, func(context.Context, []byte) ([]byte, error) { return []byte("late"), nil }, "invoke: press: context canceled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := invoke.InProcess("press", row.f)(row.ctx, nil)
			if answer != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Fatalf("%q, %v", answer, err)
			}
			if _, failed := errors.AsType[*invoke.Error](err); failed != (row.ctx.Err() == nil) {
				t.Errorf("an error of the function: %t", failed)
			}
		})
	}
}

// The two sides share no memory, as they share none over Lambda.
func TestInProcessSharesNothing(t *testing.T) {
	var kept []byte
	f := invoke.InProcess("press", func(_ context.Context, payload []byte) ([]byte, error) {
		payload[0] = 'X'
		kept = []byte("answer")
		return kept, nil
	})
	payload := []byte("payload")
	answer, err := f(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	kept[0] = 'X'
	if string(payload) != "payload" || string(answer) != "answer" {
		t.Errorf("%s, %s", payload, answer)
	}
}
