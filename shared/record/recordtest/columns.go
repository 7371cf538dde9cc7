package recordtest

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// columned checks that no two columns have the same name or letter.
func (s Subject[T]) columned(t *testing.T) {
	names, letters := []string{"id", "created_at", "updated_at", "name"}, []string{segment.Name, column.Created, column.Updated}
	for _, c := range s.Kind.Columns {
		if slices.Contains(letters, c.Letter) || len(c.Letter) != 1 {
			t.Errorf("the column %s has the letter %q", c.Name, c.Letter)
		}
		if slices.Contains(names, c.Name) {
			t.Errorf("two columns are called %s", c.Name)
		}
		if c.Says == "" && !c.Hidden {
			t.Errorf("nothing says what the column %s means", c.Name)
		}
		names, letters = append(names, c.Name), append(letters, c.Letter)
	}
}
