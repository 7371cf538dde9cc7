package recordtest

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/column"
	"github.com/tenantry/tenantry/shared/record/search"
)

// leastText is how much of a name an entry of the search index has to hold, and leastMore how much of other text where
// there is no name. With less, too many searches would have to read the records.
const (
	leastText = 64
	leastMore = 48
)

// columned checks that no two columns have the same name or letter, and that an entry which has all of them still has
// room for a name, if the records have one.
func (s Subject[T]) columned(t *testing.T) {
	names, letters := []string{"id", "created_at", "updated_at", "name"}, []string{search.Text, record.ByUpdated}
	for _, c := range s.Kind.Columns {
		if slices.Contains(letters, c.Letter) || len(c.Letter) != 1 {
			t.Errorf("the column %s has the letter %q", c.Name, c.Letter)
		}
		if slices.Contains(names[4:], c.Name) || slices.Contains(names, c.Name) && c.Can(column.Order) {
			t.Errorf("two columns are called %s", c.Name)
		}
		if c.IsText() && c.Can(column.Range) {
			t.Errorf("the column %s has a range, and texts have none", c.Name)
		}
		if c.Uses == 0 {
			t.Errorf("the column %s has no use", c.Name)
		}
		names, letters = append(names, c.Name), append(letters, c.Letter)
	}
	least := leastText
	switch {
	case s.Kind.Name == nil && s.Kind.More == nil: // its entries hold no text
		least = 0
	case s.Kind.Name == nil:
		least = leastMore
	}
	if room := s.Kind.TextBytes(); room < least {
		t.Errorf("the columns leave %d bytes of an entry for the text, and %d are needed", room, least)
	}
}
