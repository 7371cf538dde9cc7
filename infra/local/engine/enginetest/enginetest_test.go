package enginetest_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
)

func TestTablesAreEmptyAndApart(t *testing.T) {
	client := enginetest.Client(t)
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: "s"}}
	names := map[string]bool{}
	for range 2 {
		table := enginetest.Table(t)
		names[table] = true
		got, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: item})
		if err != nil || got.Item != nil {
			t.Fatalf("fresh table holds %v, %v", got, err)
		}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	if len(names) != 2 {
		t.Fatalf("names %v are not distinct", names)
	}
}

func TestTableIsDeletedWithItsTest(t *testing.T) {
	var table string
	t.Run("имя/with odd characters", func(t *testing.T) { table = enginetest.Table(t) })
	if _, err := enginetest.Client(t).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(table)}); err == nil {
		t.Fatalf("table %s is still there", table)
	}
}
