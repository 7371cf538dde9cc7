package table

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/shared/table/internal/conn"
)

// SetList sets an attribute to a list of maps.
func (a Attributes) SetList(name string, value []Attributes) {
	list := make([]types.AttributeValue, len(value))
	for i, m := range value {
		list[i] = &types.AttributeValueMemberM{Value: m}
	}
	a[name] = &types.AttributeValueMemberL{Value: list}
}

// List is an attribute as a list of maps; nil if it is not a list. Elements that are not maps
// are left out.
func (a Attributes) List(name string) []Attributes {
	l, ok := a[name].(*types.AttributeValueMemberL)
	if !ok || len(l.Value) == 0 {
		return nil
	}
	list := make([]Attributes, 0, len(l.Value))
	for _, v := range l.Value {
		if m, ok := v.(*types.AttributeValueMemberM); ok {
			list = append(list, m.Value)
		}
	}
	return list
}

// Size is approximately the item's size in bytes as the engine counts it: exact for texts and
// bytes, rather too large for numbers.
func (a Attributes) Size() int { return conn.Size(a) }
