package clients

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/shared/record/recordtest"
)

func TestAttractionMethods(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*attractionMethod]{
		Kind:   attractionMethods().Kind,
		New:    func(n int) *attractionMethod { return &attractionMethod{Name: fmt.Sprintf("Instagram %d", n)} },
		Change: func(m *attractionMethod, n int) { m.Name = fmt.Sprintf("Telegram %d %d", n, m.ID) },
	})
}
