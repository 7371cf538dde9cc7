package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/local/policy"
)

// leadingKeys is the condition key with the hash keys that a request is about.
const leadingKeys = "dynamodb:LeadingKeys"

// item is an item, or its key, as DynamoDB's JSON has it: {"pk": {"S": "T#7#doc"}}.
type item map[string]map[string]any

// of is what an operation on one item says of it. A Put names the whole item, the others its key.
type of struct {
	TableName string
	Key, Item item
}

// operations are the calls of DynamoDB that are known here, as far as they say what they are about.
type operations struct {
	of
	IndexName                 string
	KeyConditionExpression    string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues item
	KeyConditions             map[string]struct {
		ComparisonOperator string
		AttributeValueList []map[string]any
	}
	RequestItems  map[string]json.RawMessage
	TransactItems []map[string]of
}

// reads and writes within a transaction need the rights of the operations by themselves; TransactWriteItems and
// TransactGetItems are no actions. BatchGetItem and BatchWriteItem are.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
func actionIn(transaction, part string) string {
	actions := map[string]string{
		"TransactGetItems.Get": "GetItem", "TransactWriteItems.Put": "PutItem", "TransactWriteItems.Update": "UpdateItem",
		"TransactWriteItems.Delete": "DeleteItem", "TransactWriteItems.ConditionCheck": "ConditionCheckItem",
	}
	return actions[transaction+"."+part]
}

// dynamodb collects what a call is about by action and table, so that a statement has to allow all keys that one action of the
// call touches in a table: AWS hands them to the policies as one set.
func (n names) dynamodb(target string, body []byte) ([]policy.Request, error) {
	operation, ok := strings.CutPrefix(target, "DynamoDB_20120810.")
	var in operations
	err := json.Unmarshal(body, &in)
	if err != nil || !ok {
		return nil, fmt.Errorf("%q is not known here", target)
	}
	asked := touched{}
	switch operation {
	case "GetItem", "UpdateItem", "DeleteItem", "PutItem":
		err = n.touch(asked, operation, in.of)
	case "Query":
		err = n.query(asked, in)
	case "Scan", "DescribeTable":
		asked.add(operation, n.tableARN(in.TableName, in.IndexName))
	case "BatchGetItem", "BatchWriteItem":
		err = n.batch(asked, operation, in.RequestItems)
	case "TransactGetItems", "TransactWriteItems":
		for _, parts := range in.TransactItems {
			for name, part := range parts {
				if err := n.touch(asked, actionIn(operation, name), part); err != nil {
					return nil, fmt.Errorf("a %s in %s: %w", name, operation, err)
				}
			}
		}
	default:
		err = fmt.Errorf("%s is not known here", operation)
	}
	if err == nil && len(asked) == 0 {
		err = fmt.Errorf("%s of nothing", operation)
	}
	return asked.requests(), err
}

// touched is the hash keys of a call by action and resource.
type touched map[[2]string][]string

func (t touched) add(action, resource string, keys ...string) {
	at := [2]string{"dynamodb:" + action, resource}
	for _, key := range keys {
		if !slices.Contains(t[at], key) {
			t[at] = append(t[at], key)
		}
	}
	if len(keys) == 0 {
		t[at] = nil
	}
}

func (t touched) requests() []policy.Request {
	var all []policy.Request
	for _, at := range slices.SortedFunc(maps.Keys(t), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		r := ask(at[0], at[1])
		if keys := t[at]; len(keys) > 0 {
			r.Context[leadingKeys] = keys
		}
		all = append(all, r)
	}
	return all
}

func (n names) tableARN(table, index string) string {
	arn := n.arn("dynamodb", "table/"+table)
	if index != "" {
		arn += "/index/" + index
	}
	return arn
}

func (n names) touch(asked touched, action string, items ...of) error {
	for _, o := range items {
		key := o.Key
		if action == "PutItem" || key == nil {
			key = o.Item
		}
		hash, ok := text(key[n.hashes[""]])
		if !ok || o.TableName == "" || action == "" {
			return fmt.Errorf("%q without a table or a key is not known here", action)
		}
		asked.add(action, n.tableARN(o.TableName, ""), hash)
	}
	return nil
}

// batch: gets of a table have a list of keys, and writes are a list of requests of two kinds.
func (n names) batch(asked touched, operation string, tables map[string]json.RawMessage) error {
	for table, content := range tables {
		var gets struct{ Keys []item }
		var writes []struct{ PutRequest, DeleteRequest of }
		into := any(&writes)
		if operation == "BatchGetItem" {
			into = &gets
		}
		if err := json.Unmarshal(content, into); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
		for _, w := range writes {
			gets.Keys = append(gets.Keys, w.PutRequest.Item, w.DeleteRequest.Key)
		}
		for _, key := range slices.DeleteFunc(gets.Keys, func(key item) bool { return key == nil }) {
			if err := n.touch(asked, operation, of{TableName: table, Key: key}); err != nil {
				return err
			}
		}
	}
	return nil
}

// equals finds what a KeyConditionExpression says equals a value: #k = :v.
const equals = `([#\w.-]+)\s*=\s*(:\w+)`

// query finds the hash key that a Query is about, in either way of writing it. Of an index it is the index's own.
func (n names) query(asked touched, in operations) error {
	attribute, known := n.hashes[in.IndexName]
	if !known || in.TableName == "" {
		return fmt.Errorf("a query of the index %q, which isn't known", in.IndexName)
	}
	var value map[string]any
	if c, ok := in.KeyConditions[attribute]; ok && c.ComparisonOperator == "EQ" && len(c.AttributeValueList) == 1 {
		value = c.AttributeValueList[0]
	}
	for _, pair := range regexp.MustCompile(equals).FindAllStringSubmatch(in.KeyConditionExpression, -1) {
		name := pair[1]
		if full, ok := in.ExpressionAttributeNames[name]; ok {
			name = full
		}
		if name == attribute {
			value = in.ExpressionAttributeValues[pair[2]]
		}
	}
	hash, ok := text(value)
	if !ok {
		return fmt.Errorf("a query of %q without one hash key", in.IndexName)
	}
	asked.add("Query", n.tableARN(in.TableName, in.IndexName), hash)
	return nil
}

// text returns a key's value: of {"S": "T#7#doc"} it is T#7#doc.
func text(value map[string]any) (string, bool) {
	s, ok := value["S"].(string)
	return s, ok
}
