package conn

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Size is approximately an item's size in bytes as the engine counts it: exact for texts and
// bytes, rather too large for numbers.
func Size(item map[string]types.AttributeValue) int {
	size := 3
	for name, v := range item {
		size += len(name) + 1 + sizeOf(v)
	}
	return size
}

func sizeOf(v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(strings.TrimRight(v.Value, "0"))/2 + 2 // zeros at the end take nothing
	case *types.AttributeValueMemberM:
		return Size(v.Value)
	case *types.AttributeValueMemberL:
		size := 3
		for _, e := range v.Value {
			size += sizeOf(e) + 1
		}
		return size
	}
	return 1
}
