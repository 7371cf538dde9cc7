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

// List is an attribute as a list of maps; nil where it is none. What is no map
// in it is left out.
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

// Size is about what the engine counts as the item's size, in bytes: exact for
// texts and bytes, generous for numbers.
func (a Attributes) Size() int { return conn.Size(a) }
