package estatetest

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Of are the companies that an item is of, by its key or by what it holds, as a reader of the whole table sees it.
func Of(key table.Key, item table.Attributes) (list []tenant.ID) {
	if t, own := table.TenantOf(key.PK); own {
		return []tenant.ID{t}
	}
	folder, _, _ := strings.Cut(key.PK, "#")
	switch {
	case strings.Contains("DFKSH", folder), folder == "E" && key.SK != "email":
		return []tenant.ID{tenant.ID(item.Int("t"))}
	case folder == "U" && key.SK == "memberships":
		for _, m := range item.List("m") {
			list = append(list, tenant.ID(m.Int("t")))
		}
	}
	return list
}

// Texts are all texts of an item, its key among them, and its bytes as texts.
func Texts(item Item) (list []string) {
	for _, v := range item {
		list = append(list, texts(v)...)
	}
	return list
}

func texts(v types.AttributeValue) (list []string) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return []string{v.Value}
	case *types.AttributeValueMemberN:
		return []string{v.Value}
	case *types.AttributeValueMemberB:
		return []string{string(v.Value)}
	case *types.AttributeValueMemberSS:
		return v.Value
	case *types.AttributeValueMemberM:
		return Texts(v.Value)
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			list = append(list, texts(e)...)
		}
	}
	return list
}
