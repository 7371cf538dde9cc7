package tsa_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/tsa"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root.pem")
	open := func() *tsa.Service {
		s, err := tsa.Open(path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if first, second := open(), open(); !first.Root().Equal(second.Root()) {
		t.Error("the root is another one after a start")
	}
	other, err := tsa.New(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if other.Root().Equal(open().Root()) {
		t.Error("two services have one root")
	}
	for _, content := range []string{"", "no PEM"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tsa.Open(path, time.Now); err == nil {
			t.Errorf("%q is a root", content)
		}
	}
}
