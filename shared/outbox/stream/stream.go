// Package stream reads what the table's stream tells of the outbox.
//
// What never goes in here: what is done with a message.
package stream

import (
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
)

// Key returns the key of a new message, or of a changed message that has a key of its own (outbox.KeyedPrefix), because it may have been
// armed again. The template's filters let nothing else through; ok is false for any other record.
func Key(r events.DynamoDBEventRecord) (k table.Key, ok bool) {
	pk, sk := r.Change.Keys["pk"], r.Change.Keys["sk"]
	if pk.DataType() != events.DataTypeString || sk.DataType() != events.DataTypeString {
		return table.Key{}, false
	}
	prefix := map[string]string{
		string(events.DynamoDBOperationTypeInsert): outbox.Prefix, string(events.DynamoDBOperationTypeModify): outbox.KeyedPrefix,
	}[r.EventName]
	if prefix == "" || !strings.HasPrefix(sk.String(), prefix) {
		return table.Key{}, false
	}
	return table.Key{PK: pk.String(), SK: sk.String()}, true
}
