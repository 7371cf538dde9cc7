package app

import "testing"

func TestMemoryLimit(t *testing.T) {
	for _, row := range []struct {
		size, own string
		want      int64
	}{
		{"512", "", 483_183_819},
		{"10240", "", 9_663_676_416},
		{"512", "400MiB", 0},
		{"", "", 0},
		{"much", "", 0},
		{"-1", "", 0},
	} {
		environment := map[string]string{"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": row.size, "GOMEMLIMIT": row.own}
		if got := memoryLimit(func(name string) string { return environment[name] }); got != row.want {
			t.Errorf("%q, %q: %d, want %d", row.size, row.own, got, row.want)
		}
	}
}
