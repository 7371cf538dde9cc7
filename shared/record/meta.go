package record

import (
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/slimindex"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Meta is what every record carries; a stored struct embeds it. The names of
// the attributes in it are taken in every kind, and kinds.Name beside them.
type Meta struct {
	table.Item
	slimindex.Indexed
	ID        int64 `dynamo:"id"`
	Revision  int64 `dynamo:"r"` // counts the writes; every one is conditional on it
	Created   int64 `dynamo:"c"` // microseconds since 1970, as all times here
	Updated   int64 `dynamo:"m"`
	Import    int64 `dynamo:"im,omitempty"` // that made it; see shared/bulk
	Waiting   bool  `dynamo:"w,omitempty"`  // whether the import was committed is not known of it
	Deleted   int64 `dynamo:"d,omitempty"`  // in the archive alone
	DeletedBy int64 `dynamo:"db,omitempty"`
}

// version is the schema version of records. A kind that changes its schema says
// so with Resource.Version.
const version = 1

func (m *Meta) meta() *Meta { return m }

// Tenant is the company that the record belongs to, by its key.
func (m *Meta) Tenant() tenant.ID {
	id, _ := table.TenantOf(m.PK)
	return id
}

// CreatedAt and UpdatedAt are the times as answers have them.
func (m *Meta) CreatedAt() string { return encode.Instant(time.UnixMicro(m.Created)) }

// UpdatedAt is the time of the last change.
func (m *Meta) UpdatedAt() string { return encode.Instant(time.UnixMicro(m.Updated)) }

type carrier interface{ meta() *Meta }

// metaOf is a record's Meta. A struct that embeds none is a mistake in our code.
func metaOf[T any](rec *T) *Meta { return any(rec).(carrier).meta() } //nolint:forcetypeassert // see above

// ExtraInto writes the free part of a record, which is {} until it is sent.
func ExtraInto(in decode.Optional[decode.JSON], to *decode.JSON) {
	switch {
	case in.Null:
		*to = decode.JSON("null")
	case in.Set:
		*to = in.Value
	case len(*to) == 0:
		*to = decode.JSON("{}")
	}
}
