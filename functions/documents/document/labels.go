package document

import (
	"sync"

	"github.com/tenantry/tenantry/shared/say"
)

// models are what the records are called to which a document can belong, by their model.
var models = map[string]say.Message{
	"Document": say.KindDocument, "RentalPoint": say.KindRentalPoint, "Client": say.KindClient,
	"AttractionMethod": say.KindAttractionMethod, "Agent": say.KindAgent, "Discount": say.KindDiscount,
	"Category": say.KindCategory, "Service": say.KindService,
	"InventoryGroup": say.KindInventoryGroup, "Inventory": say.KindInventoryItem, "OrderRequest": say.KindOrder, "Lead": say.KindLead,
	"Penalty": say.KindTrafficPenalty,
}

// labels are the texts of links.
type labels struct {
	models          map[string]string
	main, secondary string
}

// labelsIn are the labels in a language, or as messages where it is empty.
func labelsIn(l say.Language) *labels { return spoken()[l] }

// spoken has the labels by their language. They are made once, because a page has up to a thousand documents.
var spoken = sync.OnceValue(func() map[say.Language]*labels {
	all := map[say.Language]*labels{}
	for _, l := range append(say.Languages(), "") {
		by := func(m say.Message) string {
			if l == "" {
				return string(m)
			}
			return m.In(l)
		}
		all[l] = &labels{models: map[string]string{}, main: by(say.LinkMain), secondary: by(say.LinkSecondary)}
		for model, m := range models {
			all[l].models[model] = by(m)
		}
	}
	return all
})
