package prepared

import (
	"os"
	"path/filepath"
	"testing"
)

// It is made once, and each copy is a test's own.
func TestCopies(t *testing.T) {
	made := 0
	d := New(func(dir string) error {
		made++
		return os.WriteFile(filepath.Join(dir, "a"), []byte("as made"), 0o600)
	})
	t.Cleanup(d.remove)
	first, second := d.Copy(t), d.Copy(t)
	if err := os.WriteFile(filepath.Join(first, "a"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(second, "a")); string(text) != "as made" || err != nil || made != 1 {
		t.Errorf("the second copy has %q, %v; made %d times", text, err, made)
	}
}
