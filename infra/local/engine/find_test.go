package engine

import "testing"

func TestPlatformIsNamedAsNpmNamesIt(t *testing.T) {
	for _, c := range []struct{ system, processor, platform, binary string }{
		{"linux", "amd64", "linux-x64", "dynoxide"},
		{"linux", "arm64", "linux-arm64", "dynoxide"},
		{"darwin", "arm64", "darwin-arm64", "dynoxide"},
		{"windows", "amd64", "win32-x64", "dynoxide.exe"},
	} {
		if got := platform(c.system, c.processor); got != c.platform || binary(c.system) != c.binary {
			t.Errorf("%s %s: %s %s, want %s %s", c.system, c.processor, got, binary(c.system), c.platform, c.binary)
		}
	}
}
