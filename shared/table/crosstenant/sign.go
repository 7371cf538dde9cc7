package crosstenant

import (
	"encoding/hex"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// SignItem says of which company's document a sign is, by the sign's uuid, which only those have who were sent its link.
type SignItem struct {
	table.Item
	Tenant   tenant.ID `dynamo:"t"`
	Document int64     `dynamo:"d"`
	Sign     int64     `dynamo:"s"`
}

// SignVersion is the schema version of a SignItem.
const SignVersion = 1

// Sign is the key of the item of a sign's uuid.
func Sign(id uuid.UUID) table.Key { return table.Key{PK: "S#" + id.String(), SK: "sign"} }

// HashItem says which sealed document has a SHA-256: that of its sealed file, or that of its original.
type HashItem struct {
	table.Item
	Tenant   tenant.ID `dynamo:"t"`
	Document int64     `dynamo:"d"`
}

// HashVersion is the schema version of a HashItem.
const HashVersion = 1

// Sort keys of the items of a hash begin with these.
const (
	SealedPrefix   = "sealed#"
	OriginalPrefix = "original#"
)

// Hashed is the partition of a SHA-256.
func Hashed(sum []byte) string { return "H#" + hex.EncodeToString(sum) }

// Hash is the key of a document that has a SHA-256; prefix says of what.
func Hash(sum []byte, prefix string, company tenant.ID, document int64) table.Key {
	return table.Key{PK: Hashed(sum), SK: prefix + company.String() + "#" + table.SortID(document)}
}
