package conn

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// pending is the index of waiting messages.
const pending = "pending"

// indexes names the hash attribute of each index.
var indexes = func() map[string]string {
	list := map[string]string{}
	for _, i := range keyspace.Indexes() {
		list[i.Name] = i.Hash
	}
	return list
}()

// operators are the comparisons of a range key, as KeyConditionExpression
// spells them.
var operators = map[types.ComparisonOperator]string{
	types.ComparisonOperatorEq: "%s = %s",
	types.ComparisonOperatorLt: "%s < %s",
	types.ComparisonOperatorLe: "%s <= %s",
	types.ComparisonOperatorGt: "%s > %s",
	types.ComparisonOperatorGe: "%s >= %s",

	types.ComparisonOperatorBeginsWith: "begins_with(%s, %s)",
	types.ComparisonOperatorBetween:    "%s BETWEEN %s AND %s",
}

// byExpression returns the same query with its KeyConditions converted to a
// KeyConditionExpression.
func byExpression(in *dynamodb.QueryInput) (*dynamodb.QueryInput, error) {
	out := *in
	out.KeyConditions = nil
	out.ExpressionAttributeNames = maps.Clone(in.ExpressionAttributeNames)
	out.ExpressionAttributeValues = maps.Clone(in.ExpressionAttributeValues)
	if out.ExpressionAttributeNames == nil {
		out.ExpressionAttributeNames = map[string]string{}
	}
	if out.ExpressionAttributeValues == nil {
		out.ExpressionAttributeValues = map[string]types.AttributeValue{}
	}
	var terms []string
	for i, name := range slices.Sorted(maps.Keys(in.KeyConditions)) {
		c := in.KeyConditions[name]
		format, ok := operators[c.ComparisonOperator]
		if !ok || strings.Count(format, "%s") != len(c.AttributeValueList)+1 {
			return nil, fmt.Errorf("table: key condition %s of %d values", c.ComparisonOperator, len(c.AttributeValueList))
		}
		alias := "#key" + strconv.Itoa(i)
		out.ExpressionAttributeNames[alias] = name
		args := []any{alias}
		for j, v := range c.AttributeValueList {
			value := ":key" + strconv.Itoa(i) + "v" + strconv.Itoa(j)
			out.ExpressionAttributeValues[value] = v
			args = append(args, value)
		}
		terms = append(terms, fmt.Sprintf(format, args...))
	}
	out.KeyConditionExpression = aws.String(strings.Join(terms, " AND "))
	return &out, nil
}
