// Package memtable is a table that is held in memory: items that were read from files, as an engine answers with them. So what package
// estate reads of a table it can read of an archive, or of an export of a table, too.
//
// It takes what package estate asks: an item, some items, or a whole partition. What never goes in here: reading the files, writing, and
// indexes.
package memtable

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/table"
)

// Item is an item as an engine has it.
type Item = map[string]types.AttributeValue

// Table holds items. Its zero value has none. It is filled first, and read then, by as many as like.
type Table struct {
	dynamodbiface.DynamoDBAPI // what is not answered here; nil

	partitions map[string][]Item
}

// Add adds an item. One whose key is there already is another item of the same key: Sort tells of it.
func (t *Table) Add(item Item) {
	if t.partitions == nil {
		t.partitions = map[string][]Item{}
	}
	pk := table.Attributes(item).Text("pk")
	t.partitions[pk] = append(t.partitions[pk], item)
}

// Delete forgets the partitions of which drop says so.
func (t *Table) Delete(drop func(pk string) bool) {
	for pk := range t.partitions {
		if drop(pk) {
			delete(t.partitions, pk)
		}
	}
}

// Partition are the items of a partition.
func (t *Table) Partition(pk string) []Item { return t.partitions[pk] }

// Sort orders what was added, and has to come before anything is read. It is an error if two items have one key.
func (t *Table) Sort() error {
	for pk, list := range t.partitions {
		slices.SortFunc(list, func(a, b Item) int { return strings.Compare(sortKey(a), sortKey(b)) })
		for i := range list[1:] {
			if sortKey(list[i]) == sortKey(list[i+1]) {
				return errors.New("two items have the key " + pk + " " + sortKey(list[i]))
			}
		}
	}
	return nil
}

func sortKey(item Item) string { return table.Attributes(item).Text("sk") }

// at returns the item that has a key, or nil.
func (t *Table) at(key Item) Item {
	list, of := t.partitions[table.Attributes(key).Text("pk")], sortKey(key)
	i, found := slices.BinarySearchFunc(list, of, func(item Item, sk string) int { return strings.Compare(sortKey(item), sk) })
	if !found {
		return nil
	}
	return list[i]
}

// GetItem answers with one item.
func (t *Table) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &dynamodb.GetItemOutput{Item: t.at(in.Key)}, nil
}

// BatchGetItem answers with those items that there are.
func (t *Table) BatchGetItem(
	_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]Item{}}
	for name, request := range in.RequestItems {
		for _, key := range request.Keys {
			if item := t.at(key); item != nil {
				out.Responses[name] = append(out.Responses[name], item)
			}
		}
	}
	return out, nil
}

// Query answers with a whole partition.
func (t *Table) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if len(in.ExpressionAttributeValues) != 1 || in.IndexName != nil {
		return nil, errors.New("memtable: partitions are read as wholes")
	}
	for _, v := range in.ExpressionAttributeValues {
		pk, ok := v.(*types.AttributeValueMemberS)
		if !ok {
			break
		}
		list := t.partitions[pk.Value]
		return &dynamodb.QueryOutput{Items: list, Count: int32(len(list))}, nil
	}
	return nil, errors.New("memtable: no partition")
}
