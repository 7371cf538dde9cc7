package conn

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
)

// sent is an engine that only remembers which operations reach it.
type sent struct {
	dynamodbiface.DynamoDBAPI
	names []string
	query *dynamodb.QueryInput
}

func (s *sent) GetItem(context.Context, *dynamodb.GetItemInput, ...options) (*dynamodb.GetItemOutput, error) {
	s.names = append(s.names, "GetItem")
	return &dynamodb.GetItemOutput{}, nil
}

func (s *sent) Query(_ context.Context, in *dynamodb.QueryInput, _ ...options) (*dynamodb.QueryOutput, error) {
	s.names, s.query = append(s.names, "Query"), in
	return &dynamodb.QueryOutput{}, nil
}

func (s *sent) BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...options) (*dynamodb.BatchGetItemOutput, error) {
	s.names = append(s.names, "BatchGetItem")
	return &dynamodb.BatchGetItemOutput{}, nil
}

func (s *sent) TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...options) (*dynamodb.TransactGetItemsOutput, error) {
	s.names = append(s.names, "TransactGetItems")
	return &dynamodb.TransactGetItemsOutput{}, nil
}

func (s *sent) PutItem(context.Context, *dynamodb.PutItemInput, ...options) (*dynamodb.PutItemOutput, error) {
	s.names = append(s.names, "PutItem")
	return &dynamodb.PutItemOutput{}, nil
}

func (s *sent) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...options) (*dynamodb.UpdateItemOutput, error) {
	s.names = append(s.names, "UpdateItem")
	return &dynamodb.UpdateItemOutput{}, nil
}

func (s *sent) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...options) (*dynamodb.DeleteItemOutput, error) {
	s.names = append(s.names, "DeleteItem")
	return &dynamodb.DeleteItemOutput{}, nil
}

func (s *sent) BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...options) (*dynamodb.BatchWriteItemOutput, error) {
	s.names = append(s.names, "BatchWriteItem")
	return &dynamodb.BatchWriteItemOutput{}, nil
}

func (s *sent) TransactWriteItems(
	context.Context, *dynamodb.TransactWriteItemsInput, ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	s.names = append(s.names, "TransactWriteItems")
	return &dynamodb.TransactWriteItemsOutput{}, nil
}

const own = "T#1#doc"

func guarded() (*guard, *sent) {
	s := &sent{}
	return &guard{next: &metered{next: s}, table: "table", keys: begins("T#1#")}, s
}

// begins are the keys whose partition begins so; the sort key "no" is of none.
type begins string

func (b begins) Partition(pk string) bool   { return strings.HasPrefix(pk, string(b)) }
func (b begins) Item(pk, sk string) bool    { return b.Partition(pk) && sk != "no" }
func (b begins) Reads(_, hash string) bool  { return b.Partition(hash) }
func (b begins) Enters(_, hash string) bool { return b.Partition(hash) }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func keyOf(partition types.AttributeValue) key {
	k := key{"sk": text("s")}
	if partition != nil {
		k["pk"] = partition
	}
	return k
}

func with(k key, name string, value types.AttributeValue) key {
	k[name] = value
	return k
}

// A call of one operation that names a table and a partition.
type attempt func(g *guard, table string, partition types.AttributeValue) error

func operations() map[string]attempt {
	ctx := context.Background()
	query := func(index *string, name string) attempt {
		return func(g *guard, table string, p types.AttributeValue) error {
			c := map[string]types.Condition{
				name: {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{p}},
			}
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: &table, IndexName: index, KeyConditions: c})
			return err
		}
	}
	start := func(name string) attempt {
		return func(g *guard, table string, p types.AttributeValue) error {
			c := map[string]types.Condition{
				name: {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{text(own)}},
			}
			in := &dynamodb.QueryInput{TableName: &table, KeyConditions: c, ExclusiveStartKey: with(keyOf(text(own)), name, p)}
			if name == "ix" {
				in.IndexName = aws.String("changes")
			}
			_, err := g.Query(ctx, in)
			return err
		}
	}
	transact := func(item func(table *string, p types.AttributeValue) types.TransactWriteItem) attempt {
		return func(g *guard, table string, p types.AttributeValue) error {
			good := types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("table"), Key: keyOf(text(own))}}
			_, err := g.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{good, item(&table, p)}})
			return err
		}
	}
	return map[string]attempt{
		"GetItem": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: keyOf(p)})
			return err
		},
		"Query":                    query(nil, "pk"),
		"Query changes":            query(aws.String("changes"), "ix"),
		"Query pending":            query(aws.String("pending"), "pq"),
		"Query start key":          start("pk"),
		"Query changes' start key": start("ix"),
		"BatchGetItem": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				table: {Keys: []key{keyOf(text(own)), keyOf(p)}},
			}})
			return err
		},
		"TransactGetItems": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
				{Get: &types.Get{TableName: aws.String("table"), Key: keyOf(text(own))}}, {Get: &types.Get{TableName: &table, Key: keyOf(p)}},
			}})
			return err
		},
		"PutItem": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: keyOf(p)})
			return err
		},
		"PutItem into the index": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: with(keyOf(text(own)), "ix", p)})
			return err
		},
		"UpdateItem": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &table, Key: keyOf(p), UpdateExpression: aws.String("SET a = :a")})
			return err
		},
		"DeleteItem": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &table, Key: keyOf(p)})
			return err
		},
		"BatchWriteItem put": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
				table: {{PutRequest: &types.PutRequest{Item: keyOf(text(own))}}, {PutRequest: &types.PutRequest{Item: keyOf(p)}}},
			}})
			return err
		},
		"BatchWriteItem put into the index": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
				table: {{PutRequest: &types.PutRequest{Item: with(keyOf(text(own)), "ix", p)}}},
			}})
			return err
		},
		"BatchWriteItem delete": func(g *guard, table string, p types.AttributeValue) error {
			_, err := g.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
				table: {{DeleteRequest: &types.DeleteRequest{Key: keyOf(text(own))}}, {DeleteRequest: &types.DeleteRequest{Key: keyOf(p)}}},
			}})
			return err
		},
		"TransactWriteItems put": transact(func(table *string, p types.AttributeValue) types.TransactWriteItem {
			return types.TransactWriteItem{Put: &types.Put{TableName: table, Item: keyOf(p)}}
		}),
		"TransactWriteItems put into the index": transact(func(table *string, p types.AttributeValue) types.TransactWriteItem {
			return types.TransactWriteItem{Put: &types.Put{TableName: table, Item: with(keyOf(text(own)), "ix", p)}}
		}),
		"TransactWriteItems update": transact(func(table *string, p types.AttributeValue) types.TransactWriteItem {
			return types.TransactWriteItem{
				Update: &types.Update{TableName: table, Key: keyOf(p), UpdateExpression: aws.String("SET a = :a")},
			}
		}),
		"TransactWriteItems delete": transact(func(table *string, p types.AttributeValue) types.TransactWriteItem {
			return types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: keyOf(p)}}
		}),
		"TransactWriteItems check": transact(func(table *string, p types.AttributeValue) types.TransactWriteItem {
			return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: keyOf(p)}}
		}),
	}
}

func TestGuardRefusesForeignKeys(t *testing.T) {
	foreign := map[string]types.AttributeValue{
		"another tenant":          text("T#2#doc"),
		"a tenant that begins so": text("T#12#doc"),
		"the bare prefix":         text("T#1"),
		"the platform":            text("U#1"),
		"nothing":                 text(""),
		"other case":              text("t#1#doc"),
		"within":                  text("xT#1#doc"),
		"a number":                &types.AttributeValueMemberN{Value: "1"},
		"bytes":                   &types.AttributeValueMemberB{Value: []byte(own)},
	}
	for operation, try := range operations() {
		g, s := guarded()
		if err := try(g, "table", text(own)); err != nil || len(s.names) != 1 {
			t.Errorf("%s: own key: %v, sent %v", operation, err, s.names)
		}
		g, s = guarded()
		if err := try(g, "other", text(own)); !errors.Is(err, ErrKey) || len(s.names) != 0 {
			t.Errorf("%s: other table: %v, sent %v", operation, err, s.names)
		}
		for what, partition := range foreign {
			g, s := guarded()
			if err := try(g, "table", partition); !errors.Is(err, ErrKey) || len(s.names) != 0 {
				t.Errorf("%s: %s: %v, sent %v", operation, what, err, s.names)
			}
		}
	}
}

func TestGuardRefusesWhatNamesNoPartition(t *testing.T) {
	ctx, name, by := context.Background(), aws.String("table"), aws.String("pk = :pk")
	other := types.Condition{ComparisonOperator: types.ComparisonOperatorBeginsWith, AttributeValueList: []types.AttributeValue{text(own)}}
	equal := types.Condition{ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{text(own)}}
	for what, call := range map[string]func(g *guard) error{
		"Query without a condition": func(g *guard) error {
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: name})
			return err
		},
		"Query by expression": func(g *guard) error {
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: name, KeyConditionExpression: by})
			return err
		},
		"Query by both": func(g *guard) error {
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: name, KeyConditionExpression: by, KeyConditions: map[string]types.Condition{"pk": equal}})
			return err
		},
		"Query of many partitions": func(g *guard) error {
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: name, KeyConditions: map[string]types.Condition{"pk": other}})
			return err
		},
		"Query of an unknown index": func(g *guard) error {
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: name, IndexName: aws.String("new"), KeyConditions: map[string]types.Condition{"pk": equal}})
			return err
		},
		"Query of an index by the table's hash": func(g *guard) error {
			_, err := g.Query(ctx, &dynamodb.QueryInput{TableName: name, IndexName: aws.String("changes"), KeyConditions: map[string]types.Condition{"pk": equal}})
			return err
		},
		"GetItem without a key": func(g *guard) error {
			_, err := g.GetItem(ctx, &dynamodb.GetItemInput{TableName: name})
			return err
		},
		"UpdateItem without an expression": func(g *guard) error {
			_, err := g.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: name, Key: keyOf(text(own)), AttributeUpdates: map[string]types.AttributeValueUpdate{"ix": {}}})
			return err
		},
		"an empty request of a batch": func(g *guard) error {
			_, err := g.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"table": {{}}}})
			return err
		},
		"an empty item of a transaction": func(g *guard) error {
			_, err := g.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{}}})
			return err
		},
		"an item of two operations": func(g *guard) error {
			_, err := g.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{
				Delete: &types.Delete{TableName: name, Key: keyOf(text(own))}, Put: &types.Put{TableName: name, Item: keyOf(text("T#2#doc"))},
			}}})
			return err
		},
		"an empty item of a reading transaction": func(g *guard) error {
			_, err := g.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{}}})
			return err
		},
	} {
		g, s := guarded()
		if err := call(g); !errors.Is(err, ErrKey) || len(s.names) != 0 {
			t.Errorf("%s: %v, sent %v", what, err, s.names)
		}
	}
}

// What the engine does not take is not sent: the local one takes more.
func TestGuardKnowsTheEngine(t *testing.T) {
	item := func(pk, sk string, size int) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk), "a": text(strings.Repeat("x", size))}
	}
	for what, tt := range map[string]struct {
		item map[string]types.AttributeValue
		want error
	}{
		"what fits":              {item(own, strings.Repeat("x", 1024), 300<<10), nil},
		"no sort key":            {item(own, "", 0), ErrKey},
		"a long sort key":        {item(own, strings.Repeat("x", 1025), 0), ErrKey},
		"a long partition":       {item(own+strings.Repeat("x", 2048), "x", 0), ErrKey},
		"an item of over 400 KB": {item(own, "x", 400<<10), ErrItemTooLarge},
	} {
		g, s := guarded()
		_, err := g.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("table"), Item: tt.item})
		if !errors.Is(err, tt.want) || (len(s.names) == 0) != (tt.want != nil) {
			t.Errorf("%s: %v, sent %v", what, err, s.names)
		}
	}
}

// An update can't move an item to another partition, of the table or of an
// index that belongs to tenants.
func TestGuardKeepsUpdatesOffKeys(t *testing.T) {
	for _, tt := range []struct {
		expression string
		names      map[string]string
		refused    bool
	}{
		{"SET a = :a", nil, false},
		{"SET #a = :a, x.t = :b ADD n :n REMOVE pq, pd", map[string]string{"#a": "name"}, false},
		{"SET pk = :a", nil, true},
		{"SET a = :a, sk=:b", nil, true},
		{"ADD ix :a", nil, true},
		{"REMOVE ix", nil, true},
		{"SET #a = :a", map[string]string{"#a": "ix"}, true},
		{"SET #a = :a", map[string]string{"#a": "pk"}, true},
		{"SET pkg = :a, ixx = :b, task = :c", nil, false},
		{"SET a = :ix", nil, false},
	} {
		in := &dynamodb.UpdateItemInput{
			TableName: aws.String("table"), Key: keyOf(text(own)), UpdateExpression: &tt.expression, ExpressionAttributeNames: tt.names,
		}
		g, s := guarded()
		_, err := g.UpdateItem(context.Background(), in)
		if errors.Is(err, ErrKey) != tt.refused || (len(s.names) == 0) != tt.refused {
			t.Errorf("UpdateItem %q %v: %v, sent %v", tt.expression, tt.names, err, s.names)
		}
		g, s = guarded()
		_, err = g.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: in.TableName, Key: in.Key, UpdateExpression: in.UpdateExpression, ExpressionAttributeNames: tt.names,
		}}}})
		if errors.Is(err, ErrKey) != tt.refused || (len(s.names) == 0) != tt.refused {
			t.Errorf("TransactWriteItems %q %v: %v, sent %v", tt.expression, tt.names, err, s.names)
		}
	}
}

// Every operation that DynamoDB has and the guard does not know is refused,
// whatever it is asked.
func TestGuardRefusesWhatItDoesNotKnow(t *testing.T) {
	known := []string{
		"GetItem", "Query", "BatchGetItem", "TransactGetItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
	}
	api := reflect.TypeFor[dynamodbiface.DynamoDBAPI]()
	refused := 0
	for method := range api.Methods() {
		if slices.Contains(known, method.Name) {
			continue
		}
		g, s := guarded()
		in := reflect.New(method.Type.In(1).Elem())
		if f := in.Elem().FieldByName("TableName"); f.IsValid() {
			f.Set(reflect.ValueOf(aws.String("table")))
		}
		out := reflect.ValueOf(g).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(t.Context()), in})
		if err, _ := out[1].Interface().(error); !errors.Is(err, ErrKey) || len(s.names) != 0 {
			t.Errorf("%s: %v, sent %v", method.Name, err, s.names)
		}
		refused++
	}
	if refused != api.NumMethod()-len(known) || refused == 0 {
		t.Errorf("%d of %d operations were tried", refused, api.NumMethod())
	}
}

func TestConditionsBecomeExpressions(t *testing.T) {
	values := []types.AttributeValue{text("a"), text("b")}
	for _, tt := range []struct {
		operator types.ComparisonOperator
		values   int
		want     string
	}{
		{"", 0, "#key0 = :key0v0"},
		{types.ComparisonOperatorEq, 1, "#key0 = :key0v0 AND #key1 = :key1v0"},
		{types.ComparisonOperatorLt, 1, "#key0 = :key0v0 AND #key1 < :key1v0"},
		{types.ComparisonOperatorLe, 1, "#key0 = :key0v0 AND #key1 <= :key1v0"},
		{types.ComparisonOperatorGt, 1, "#key0 = :key0v0 AND #key1 > :key1v0"},
		{types.ComparisonOperatorGe, 1, "#key0 = :key0v0 AND #key1 >= :key1v0"},
		{types.ComparisonOperatorBeginsWith, 1, "#key0 = :key0v0 AND begins_with(#key1, :key1v0)"},
		{types.ComparisonOperatorBetween, 2, "#key0 = :key0v0 AND #key1 BETWEEN :key1v0 AND :key1v1"},
		{types.ComparisonOperatorBetween, 1, ""},
		{types.ComparisonOperatorEq, 2, ""},
		{types.ComparisonOperatorNe, 1, ""},
		{types.ComparisonOperatorContains, 1, ""},
	} {
		conditions := map[string]types.Condition{
			"pk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{text(own)}},
		}
		if tt.operator != "" {
			conditions["sk"] = types.Condition{ComparisonOperator: tt.operator, AttributeValueList: values[:tt.values]}
		}
		in := &dynamodb.QueryInput{
			TableName: aws.String("table"), KeyConditions: conditions, FilterExpression: aws.String("#n = :n"),
			ExpressionAttributeNames: map[string]string{"#n": "n"}, ExpressionAttributeValues: key{":n": text("x")},
		}
		g, s := guarded()
		_, err := g.Query(context.Background(), in)
		if tt.want == "" {
			if err == nil || len(s.names) != 0 {
				t.Errorf("%s of %d values: sent", tt.operator, tt.values)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := s.query
		if *got.KeyConditionExpression != tt.want || got.KeyConditions != nil || got.ExpressionAttributeNames["#n"] != "n" ||
			len(got.ExpressionAttributeValues) != 2+tt.values || *got.FilterExpression != "#n = :n" {
			t.Errorf("%s: %q %v", tt.operator, *got.KeyConditionExpression, got.ExpressionAttributeNames)
		}
		if in.KeyConditionExpression != nil || len(in.ExpressionAttributeNames) != 1 || len(in.ExpressionAttributeValues) != 1 {
			t.Errorf("%s: the caller's input was changed", tt.operator)
		}
	}
}
