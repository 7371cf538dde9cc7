package crosstenant

import (
	"encoding/hex"
	"strings"
	"time"

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

// Hashed is the partition of a SHA-256.
func Hashed(sum []byte) string { return "H#" + hex.EncodeToString(sum) }

// SealedHash is the key of the document whose sealed file has a SHA-256.
func SealedHash(sum []byte, company tenant.ID, document int64) table.Key {
	return table.Key{PK: Hashed(sum), SK: sealedPrefix + company.String() + "#" + table.SortID(document)}
}

// OriginalHash is the key of a document, sealed at a time, whose original has a SHA-256. Anybody may have the same bytes sealed, so
// the keys sort by that time: the oldest is found however many came after it.
func OriginalHash(sum []byte, at time.Time, company tenant.ID, document int64) table.Key {
	return table.Key{
		PK: Hashed(sum),
		SK: "original#at#" + table.SortID(at.Unix()) + "#" + table.SortID(int64(company)) + "#" + table.SortID(document),
	}
}

const sealedPrefix = "sealed#"

// ErasedItem is what stays of the sealed file of a company that was erased, so that who has the file can go on having it verified. It
// names neither the company nor the document.
type ErasedItem struct {
	table.Item
	SealedAt int64  `dynamo:"a"` // microseconds
	Level    string `dynamo:"l"`
}

// ErasedVersion is the schema version of an ErasedItem.
const ErasedVersion = 1

// ErasedHash is the key of what stays of the sealed file with a SHA-256, by the partition of that.
func ErasedHash(partition string) table.Key { return table.Key{PK: partition, SK: erasedKey} }

const erasedKey = "erased"

// IsErased tells whether the item says no more than that a file was sealed: an ErasedItem has its key.
func (h *HashItem) IsErased() bool { return h.SK == erasedKey }

// IsSealed tells whether the hash is that of a sealed file, and not of an original.
func (h *HashItem) IsSealed() bool { return strings.HasPrefix(h.SK, sealedPrefix) }
