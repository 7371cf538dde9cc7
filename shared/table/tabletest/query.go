package tabletest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// view is the table or one of its indexes: its keys and, for an index, the attributes that it holds.
type view struct {
	hash, sort string
	holds      []string
}

func viewOf(index *string) (view, error) {
	if index == nil {
		return view{hash: "pk", sort: "sk"}, nil
	}
	for _, i := range keyspace.Indexes() {
		if i.Name == *index {
			return view{hash: i.Hash, sort: i.Sort, holds: append([]string{"pk", "sk", i.Hash, i.Sort}, i.Holds...)}, nil
		}
	}
	return view{}, fmt.Errorf("tabletest: unknown index %s", *index)
}

// has tells whether an item stands in the view: an index leaves out items that lack one of its keys.
func (v view) has(image attributes) bool { return image[v.hash] != nil && image[v.sort] != nil }

func (v view) image(of attributes) attributes {
	if v.holds == nil {
		return of
	}
	image := attributes{}
	for _, name := range v.holds {
		if value, ok := of[name]; ok {
			image[name] = value
		}
	}
	return image
}

// query answers a query from the past. Items that were written lately are returned as they were at some moment of the
// lag, all others as the engine has them.
func (p *past) query(
	ctx context.Context, api dynamodbiface.DynamoDBAPI, in *dynamodb.QueryInput, random *rand.Rand,
) (*dynamodb.QueryOutput, error) {
	v, err := viewOf(in.IndexName)
	if err != nil {
		return nil, err
	}
	matches, err := condition(in)
	if err != nil {
		return nil, err
	}
	all := *in
	all.Limit, all.ExclusiveStartKey = nil, nil
	out := &dynamodb.QueryOutput{}
	found := map[item]attributes{}
	for {
		part, err := api.Query(ctx, &all)
		if err != nil {
			return nil, fmt.Errorf("tabletest: %w", err)
		}
		out.ConsumedCapacity = part.ConsumedCapacity
		for _, image := range part.Items {
			found[itemOf(in.TableName, image)] = image
		}
		if all.ExclusiveStartKey = part.LastEvaluatedKey; all.ExclusiveStartKey == nil {
			break
		}
	}
	p.mu.Lock()
	for it := range maps.Clone(p.items) {
		if image, known := p.at(it, random); known && it.table == aws.ToString(in.TableName) {
			delete(found, it)
			if image != nil && v.has(image) && matches(image) {
				found[it] = v.image(image)
			}
		}
	}
	p.mu.Unlock()
	v.cut(in, slices.Collect(maps.Values(found)), out)
	return out, nil
}

// cut sorts the items and keeps the ones that the query asks for.
func (v view) cut(in *dynamodb.QueryInput, items []attributes, out *dynamodb.QueryOutput) {
	direction := 1
	if in.ScanIndexForward != nil && !*in.ScanIndexForward {
		direction = -1
	}
	compare := func(a, b attributes) int {
		if c := order(a[v.sort], b[v.sort]); c != 0 {
			return c * direction
		}
		return strings.Compare(text(a["pk"])+text(a["sk"]), text(b["pk"])+text(b["sk"])) * direction
	}
	if start := in.ExclusiveStartKey; start != nil {
		items = slices.DeleteFunc(items, func(a attributes) bool { return compare(a, start) <= 0 })
	}
	slices.SortFunc(items, compare)
	if limit := int(aws.ToInt32(in.Limit)); limit > 0 && len(items) > limit {
		items = items[:limit]
		last := items[limit-1]
		out.LastEvaluatedKey = attributes{"pk": last["pk"], "sk": last["sk"], v.hash: last[v.hash], v.sort: last[v.sort]}
	}
	out.Items, out.Count, out.ScannedCount = items, int32(len(items)), int32(len(items))
}

// condition parses a key condition in the form in which shared/table writes it.
func condition(in *dynamodb.QueryInput) (func(attributes) bool, error) {
	term := regexp.MustCompile(`begins_with\((\S+), (\S+)\)|(\S+) BETWEEN (\S+) AND (\S+)|(\S+) (=|<=|>=|<|>) (\S+)`)
	name := func(s string) string {
		if long, ok := in.ExpressionAttributeNames[s]; ok {
			return long
		}
		return s
	}
	value := func(s string) types.AttributeValue { return in.ExpressionAttributeValues[s] }
	var terms []func(attributes) bool
	for _, m := range term.FindAllStringSubmatch(aws.ToString(in.KeyConditionExpression), -1) {
		switch {
		case m[1] != "":
			terms = append(terms, func(a attributes) bool { return strings.HasPrefix(text(a[name(m[1])]), text(value(m[2]))) })
		case m[3] != "":
			terms = append(terms, compared(name(m[3]), ">=", value(m[4])), compared(name(m[3]), "<=", value(m[5])))
		default:
			terms = append(terms, compared(name(m[6]), m[7], value(m[8])))
		}
	}
	if len(terms) == 0 || len(terms) > 3 {
		return nil, fmt.Errorf("tabletest: can't read the condition %q", aws.ToString(in.KeyConditionExpression))
	}
	return func(a attributes) bool {
		return !slices.ContainsFunc(terms, func(holds func(attributes) bool) bool { return !holds(a) })
	}, nil
}

// order compares two keys: numbers as numbers, texts by their bytes.
func order(a, b types.AttributeValue) int {
	m, number := a.(*types.AttributeValueMemberN)
	n, also := b.(*types.AttributeValueMemberN)
	if !number || !also {
		return strings.Compare(text(a), text(b))
	}
	x, _ := strconv.ParseInt(m.Value, 10, 64) // no key is a fraction
	y, _ := strconv.ParseInt(n.Value, 10, 64)
	return cmp.Compare(x, y)
}

func compared(name, operator string, value types.AttributeValue) func(attributes) bool {
	return func(a attributes) bool {
		if a[name] == nil {
			return false
		}
		c := order(a[name], value)
		switch operator {
		case "=":
			return c == 0
		case "<":
			return c < 0
		case "<=":
			return c <= 0
		case ">":
			return c > 0
		default:
			return c >= 0
		}
	}
}
