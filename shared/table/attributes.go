package table

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Value is an attribute as the table stores it. A type outside of this package needs it to
// define how it is stored.
type Value = types.AttributeValue

// Number is a decimal number as a text of its digits. The table stores up to 38 digits.
type Number string

// MarshalDynamo stores the Number as a number.
func (n Number) MarshalDynamo() (Value, error) {
	return &types.AttributeValueMemberN{Value: string(n)}, nil
}

// UnmarshalDynamo reads a number.
func (n *Number) UnmarshalDynamo(v Value) error {
	number, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return fmt.Errorf("table: %T is not a number", v)
	}
	*n = Number(number.Value)
	return nil
}

// Attributes is an item, or a map within an item, whose attributes are read one by one. It is
// for code that reads thousands of small items, or that does not know the names beforehand. The
// store of a record uses a struct.
type Attributes map[string]types.AttributeValue

// SetNumber sets an attribute to a number of any width.
func (a Attributes) SetNumber(name string, value Number) {
	a[name] = &types.AttributeValueMemberN{Value: string(value)}
}

// SetInt sets an attribute to a number.
func (a Attributes) SetInt(name string, value int64) {
	a[name] = &types.AttributeValueMemberN{Value: strconv.FormatInt(value, 10)}
}

// SetText sets an attribute to a text.
func (a Attributes) SetText(name, value string) { a[name] = &types.AttributeValueMemberS{Value: value} }

// SetBytes sets an attribute to bytes.
func (a Attributes) SetBytes(name string, value []byte) {
	a[name] = &types.AttributeValueMemberB{Value: value}
}

// SetBool sets an attribute to true or false.
func (a Attributes) SetBool(name string, value bool) {
	a[name] = &types.AttributeValueMemberBOOL{Value: value}
}

// SetMap sets an attribute to a map.
func (a Attributes) SetMap(name string, value Attributes) {
	a[name] = &types.AttributeValueMemberM{Value: value}
}

// Number is an attribute as the digits of a number; "" if it is not a number.
func (a Attributes) Number(name string) Number {
	if n, ok := a[name].(*types.AttributeValueMemberN); ok {
		return Number(n.Value)
	}
	return ""
}

// Int is an attribute as a number; 0 if it is not a number.
func (a Attributes) Int(name string) int64 {
	text := a.Number(name)
	if text == "" { // avoids the error that parsing would make
		return 0
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Text is an attribute as a text; "" if it is not a text.
func (a Attributes) Text(name string) string {
	if s, ok := a[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// Bytes is an attribute as bytes; nil if it is not bytes.
func (a Attributes) Bytes(name string) []byte {
	if b, ok := a[name].(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

// Map is an attribute as a map; nil if it is not a map.
func (a Attributes) Map(name string) Attributes {
	if m, ok := a[name].(*types.AttributeValueMemberM); ok {
		return m.Value
	}
	return nil
}

// Decode reads the item into a store's struct.
func (a Attributes) Decode(out any) error {
	decode := dynamo.UnmarshalItem
	if by, ok := out.(dynamo.ItemUnmarshaler); ok { // otherwise the library finds this out by reflection, for every row
		decode = func(item dynamo.Item, _ any) error { return by.UnmarshalDynamoItem(item) }
	}
	if err := decode(dynamo.Item(a), out); err != nil {
		return fmt.Errorf("table: decode %s %s: %w", a.Text("pk"), a.Text("sk"), err)
	}
	return nil
}

// DecodeAll reads items into structs of which T is the pointer. All of them are one allocation.
func DecodeAll[T any](items []Attributes) ([]T, error) {
	structs := reflect.MakeSlice(reflect.SliceOf(reflect.TypeFor[T]().Elem()), len(items), len(items))
	list := make([]T, len(items))
	for i, item := range items {
		out := structs.Index(i).Addr().Interface()
		if err := item.Decode(out); err != nil {
			return nil, err
		}
		list[i] = out.(T) //nolint:forcetypeassert // it is one
	}
	return list, nil
}

// IsZero makes omitempty leave out nil Attributes.
func (a Attributes) IsZero() bool { return a == nil }

// MarshalDynamo stores a map.
func (a Attributes) MarshalDynamo() (types.AttributeValue, error) {
	return &types.AttributeValueMemberM{Value: a}, nil
}

// UnmarshalDynamo reads a map.
func (a *Attributes) UnmarshalDynamo(v types.AttributeValue) error {
	m, ok := v.(*types.AttributeValueMemberM)
	if !ok {
		return fmt.Errorf("table: %T is not a map", v)
	}
	*a = m.Value
	return nil
}

// MarshalDynamoItem stores an item.
func (a Attributes) MarshalDynamoItem() (dynamo.Item, error) { return dynamo.Item(a), nil }

// UnmarshalDynamoItem reads an item. Nothing is left of what a held before, so a loop over many items can use one variable.
func (a *Attributes) UnmarshalDynamoItem(item dynamo.Item) error {
	*a = Attributes(item)
	return nil
}
