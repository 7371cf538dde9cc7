package credential_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/identity/credential"
	"github.com/tenantry/tenantry/functions/identity/credentialtest"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

func TestAgain(t *testing.T) {
	now := time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	conn := tabletest.New(t)
	credentialtest.Give(t, conn, "correct horse", 7)
	again := credential.Open(conn, clock)
	code := func(user int64, ip, password string) fault.Code {
		err := again.Check(t.Context(), user, ip, password)
		if f, ok := fault.As(err); ok {
			return f.Code
		}
		if err != nil {
			t.Fatal(err)
		}
		return ""
	}
	const home, away = "203.0.113.1", "203.0.113.2"
	for range credential.PerCaller + 2 { // what is right does not count
		if got := code(7, home, "correct horse"); got != "" {
			t.Fatalf("right: %s", got)
		}
	}
	if got := code(8, home, "correct horse"); got != fault.Forbidden {
		t.Errorf("nobody: %s", got)
	}
	// Guesses here and at the sign-in are one count.
	if _, err := credential.NewTries(throttle.Open(conn, clock)).Take(t.Context(), "user7@example.com", home); err != nil {
		t.Fatal(err)
	}
	for range credential.PerCaller - 1 {
		if got := code(7, home, "correct horsf"); got != fault.Invalid {
			t.Errorf("wrong: %s", got)
		}
	}
	for _, password := range []string{"correct horsf", "correct horse"} {
		if got := code(7, home, password); got != fault.Throttled {
			t.Errorf("one too many: %s", got)
		}
	}
	if got := code(7, away, "correct horse"); got != "" {
		t.Errorf("from elsewhere: %s", got)
	}
	now = now.Add(credential.Window)
	if got := code(7, home, "correct horse"); got != "" {
		t.Errorf("later: %s", got)
	}
}
