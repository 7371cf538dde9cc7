package nullable_test

import (
	"testing"

	"github.com/tenantry/tenantry/shared/nullable"
)

func TestSame(t *testing.T) {
	one, too, other := "a", "a", "b"
	for _, c := range []struct {
		a, b *string
		same bool
	}{
		{nil, nil, true},
		{&one, nil, false},
		{nil, &one, false},
		{&one, &one, true},
		{&one, &too, true},
		{&one, &other, false},
	} {
		if got := nullable.Same(c.a, c.b); got != c.same {
			t.Errorf("%v and %v: %t", c.a, c.b, got)
		}
	}
}
