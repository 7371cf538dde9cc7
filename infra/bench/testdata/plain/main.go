// Command plain is a function that only makes a DynamoDB client, from the
// environment and nothing else. The starts of functions are compared with its start.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func main() {
	client := dynamodb.New(dynamodb.Options{
		Region:       os.Getenv("AWS_REGION"),
		Credentials:  credentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), ""),
		BaseEndpoint: aws.String(os.Getenv("DYNAMODB_ENDPOINT")),
	})
	lambda.Start(func(ctx context.Context) (int, error) {
		out, err := client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String(os.Getenv("TABLE_NAME")),
			Key: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: "none"}, "sk": &types.AttributeValueMemberS{Value: "-"},
			},
		})
		if err != nil {
			return 0, err
		}
		return len(out.Item), nil
	})
}
