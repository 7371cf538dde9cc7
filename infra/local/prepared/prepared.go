// Package prepared gives tests directories that are made once in a process and copied for each, such as the data of a platform that has its
// demo company.
//
// What a directory holds never goes in here.
package prepared

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Dir is a directory of which there are copies. It is made when the first is asked for.
type Dir struct {
	fill func(dir string) error

	once sync.Once
	dir  string
	err  error
}

// New makes a Dir; fill fills the directory, which is empty, and leaves nobody who still writes there.
func New(fill func(dir string) error) *Dir { return &Dir{fill: fill} }

// Copy returns a copy that is the test's own.
func (d *Dir) Copy(t testing.TB) string {
	t.Helper()
	d.once.Do(func() {
		if d.dir, d.err = os.MkdirTemp("", "tenantry-prepared-"); d.err == nil { //nolint:usetesting // it outlives the test
			d.err = d.fill(d.dir)
		}
	})
	if d.err != nil {
		t.Fatal(d.err)
	}
	own := filepath.Join(t.TempDir(), "copy")
	// Unlike os.CopyFS it copies extended attributes, in which a bucket keeps what it knows of its files.
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", d.dir, own).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return own
}

// Run runs the tests of a package, removes the directory and ends the process: it is what TestMain does.
func (d *Dir) Run(m *testing.M) {
	status := m.Run()
	d.remove()
	os.Exit(status)
}

func (d *Dir) remove() {
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}
