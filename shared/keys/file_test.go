package keys_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/keystest"
)

type keyFile struct {
	Signing [][]byte `json:"signing"`
	Secret  []byte   `json:"secret"`
}

func open(t testing.TB, path string) keys.Keys {
	t.Helper()
	k, err := keys.FromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func content(t testing.TB, path string) (f keyFile) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t testing.TB, path string, f any) {
	t.Helper()
	data, err := json.Marshal(f)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	keystest.Run(t, func(t *testing.T) keys.Keys { return open(t, path) })
}

func TestSealerFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	sealer := func() keys.Sealer {
		s, err := keys.SealerFromFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	keystest.RunSealer(t, func(*testing.T) keys.Sealer { return sealer() })
	k, err := sealer()(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// It is not the key that signs tokens, which is in the same file.
	tokens, err := open(t, path).Public(t.Context(), keystest.Kid(t, open(t, path)))
	if err != nil || tokens.Equal(k.Public()) {
		t.Errorf("%v, %v", tokens, err)
	}
	write(t, path, "text")
	if _, err := keys.SealerFromFile(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken file: %v", err)
	}
}

func TestFromFileWithRetiredKeys(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "keys.json")
	old, err := open(t, path).Sign(t.Context(), jwt.MapClaims{"user": "u1"})
	if err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Join(folder, "new.json"))
	f, next := content(t, path), content(t, filepath.Join(folder, "new.json"))
	f.Signing = slices.Concat(next.Signing, f.Signing)
	write(t, path, f)
	keystest.Run(t, func(t *testing.T) keys.Keys { return open(t, path) }, old)
}

func TestFileIsMadeForItsOwnerAlone(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "sub", "keys.json")
	open(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files in the folder, want the keys alone (%v)", len(entries), err)
	}
}

func TestProcessesThatStartAtOnceAgree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	macs := make([]string, 16)
	var wg sync.WaitGroup
	for i := range macs {
		wg.Go(func() {
			k, err := keys.FromFile(path)
			if err != nil {
				t.Error(err)
				return
			}
			mac, err := keys.Make(context.Background(), k, keys.Codes, []byte("m"))
			if err != nil {
				t.Error(err)
			}
			macs[i] = string(mac)
		})
	}
	wg.Wait()
	if len(slices.Compact(macs)) != 1 {
		t.Error("they made different keys")
	}
}

func TestBrokenFiles(t *testing.T) {
	folder := t.TempDir()
	good := filepath.Join(folder, "good.json")
	open(t, good)
	f := content(t, good)
	for name, broken := range map[string]any{
		"not an object": "text",
		"no keys":       keyFile{Secret: f.Secret},
		"no secret":     keyFile{Signing: f.Signing},
		"short secret":  keyFile{Signing: f.Signing, Secret: f.Secret[:31]},
		"cut key":       keyFile{Signing: [][]byte{f.Signing[0][:50]}, Secret: f.Secret},
	} {
		path := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
		write(t, path, broken)
		k, err := keys.FromFile(path)
		if err == nil || k != nil {
			t.Errorf("%s: opened", name)
			continue
		}
		if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %q does not name the file", name, err)
		}
		if after, _ := os.ReadFile(path); len(after) == 0 {
			t.Errorf("%s: the file was overwritten", name)
		}
	}
}
