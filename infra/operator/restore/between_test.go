package restore_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/shared/table"
)

// before is a program that does something right before it first puts an item.
type before struct {
	dynamodbiface.DynamoDBAPI
	puts table.Key
	do   func()
}

func (b *before) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if do := b.do; do != nil && slices.ContainsFunc(in.TransactItems, func(i types.TransactWriteItem) bool {
		return i.Put != nil && table.Attributes(i.Put.Item).Text("pk") == b.puts.PK && table.Attributes(i.Put.Item).Text("sk") == b.puts.SK
	}) {
		b.do = nil
		do()
	}
	return b.DynamoDBAPI.TransactWriteItems(ctx, in, opts...)
}

// What changes of a company's plan, between the look at its item and the write of it, is not written over.
func TestPlanChangedMeanwhile(t *testing.T) {
	copied, live, name := worked(t)
	of := table.Of(live, company)
	changed := false
	api := &before{enginetest.Client(t), of.Company(), func() {
		changed = true
		if err := of.Update(of.Company()).Set("pl", map[string]int64{"r": 7}).Set("stf", 7).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}}
	if _, err := restorer(copied, table.Open(api, name), estatetest.Bucket(t)).Run(t.Context(), company, company); err != nil {
		t.Fatal(err)
	}
	var is table.Attributes
	if err := of.Get(t.Context(), of.Company(), &is); err != nil || !changed || is.Map("pl").Int("r") != 7 || is.Int("stf") != 7 {
		t.Errorf("changed: %t, %v, %v", changed, is, err)
	}
}
