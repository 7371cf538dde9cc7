// Package estate finds everything that a company has: its own partitions of the table, the items of no company that are its, and the
// objects of its folders of the bucket. Erase, restore, export, import and the count of what is stored all go through it, so that what
// one of them knows none forgets.
//
// Nothing is found by reading the whole table. The company's own partitions are listed by the registry of keys: those with known
// names, and those of each number that a kind has given out. An item of no company is found by the company's record that leads to it:
// its own record (the host), staff (invitations, and the users who are members), feed tokens, keys for programs, and documents (their
// signs and the hashes of their files). What the registry says ends by its time is not found, and ends by its ttl.
//
// What never goes in here: what is done with what is found, and what it costs.
package estate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// BucketAPI is what of S3 the operator's commands need of the bucket.
type BucketAPI interface {
	ListObjectVersions(context.Context, *s3.ListObjectVersionsInput, ...func(*s3.Options)) (*s3.ListObjectVersionsOutput, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	CopyObject(context.Context, *s3.CopyObjectInput, ...func(*s3.Options)) (*s3.CopyObjectOutput, error)
	HeadObject(context.Context, *s3.HeadObjectInput, ...func(*s3.Options)) (*s3.HeadObjectOutput, error)
}

// Bucket is the bucket of a stage. Without an API, such as beside a restored copy of the table, it has no objects.
type Bucket struct {
	API  BucketAPI
	Name string
}

// Estates are those of all companies of one table and one bucket.
type Estates struct {
	conn   *table.Conn
	all    crosstenant.Table
	bucket Bucket
}

// Open gives the estates in a table and a bucket.
func Open(c *table.Conn, b Bucket) *Estates { return &Estates{c, crosstenant.Open(c), b} }

// All is the table as the platform sees it.
func (e *Estates) All() crosstenant.Table { return e.all }

// Of is the table as a company sees it.
func (e *Estates) Of(t tenant.ID) *table.Tenant { return table.Of(e.conn, t) }

// Bucket is where the objects are.
func (e *Estates) Bucket() Bucket { return e.bucket }

// Company reads the company's own item, as it is stored; nil if there is none.
func (e *Estates) Company(ctx context.Context, t tenant.ID) (table.Attributes, error) {
	var item table.Attributes
	err := e.all.Get(ctx, e.Of(t).Company(), &item)
	if errors.Is(err, table.ErrNotFound) {
		return nil, nil //nolint:nilnil // no company is no mistake of the caller
	}
	return item, err
}

// Given tells whether a company's number was ever given out.
func (e *Estates) Given(ctx context.Context, t tenant.ID) (bool, error) {
	var counter struct {
		N int64 `dynamo:"n"`
	}
	err := e.all.Get(ctx, crosstenant.Tenants(), &counter)
	if errors.Is(err, table.ErrNotFound) {
		return false, nil
	}
	return t > 0 && int64(t) <= counter.N, err
}

// Numbers are the last numbers that the kinds of a company have given out. By them its histories are found.
type Numbers map[kinds.Code]int64

// Merge keeps the greater number of each kind.
func (n Numbers) Merge(other Numbers) {
	for kind, last := range other {
		n[kind] = max(n[kind], last)
	}
}

// Numbers reads the counters of a company's kinds.
func (e *Estates) Numbers(ctx context.Context, t tenant.ID) (Numbers, error) {
	own, of := e.Of(t), map[table.Key]kinds.Code{}
	for _, k := range e.conn.Space().Kinds() {
		of[own.Sequence(k.Code)] = k.Code
	}
	items, err := e.all.GetMany(ctx, slices.Collect(maps.Keys(of))...)
	if err != nil {
		return nil, err
	}
	numbers := Numbers{}
	for key, item := range items {
		numbers[of[key]] = table.Attributes(item).Int("n")
	}
	return numbers, nil
}

// Named lists the company's partitions that have known names, in order.
func (e *Estates) Named(t tenant.ID) []string { return slices.Sorted(e.conn.Space().Named(t)) }

// Numbered lists the company's partitions of which each belongs to one number that a kind has given out, in order.
func (e *Estates) Numbered(t tenant.ID, n Numbers) []string {
	return slices.Sorted(e.conn.Space().Numbered(t, func(k kinds.Code) int64 { return n[k] }))
}

// Pattern is the registered form of the partition of an item, such as "T#<tenant>#<kind>#log#<id>".
func (e *Estates) Pattern(pk string) keyspace.Partition {
	p, _ := e.conn.Space().Of(pk)
	return p
}

// Partition yields the items of one partition, in order. It may be deleted from meanwhile.
func (e *Estates) Partition(ctx context.Context, pk string) iter.Seq2[table.Attributes, error] {
	return func(yield func(table.Attributes, error) bool) {
		it := e.all.Table().Get("pk", pk).Consistent(true).Iter()
		for {
			var item table.Attributes
			if !it.Next(ctx, &item) {
				break
			}
			if !yield(item, nil) {
				return
			}
		}
		if err := it.Err(); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
			yield(nil, fmt.Errorf("estate: %s: %w", e.Pattern(pk).Key, err))
		}
	}
}

// atOnce is how many small partitions are read at the same time.
const atOnce = 32

// Own yields all items of the company's own partitions, those of each partition in order: first those of records' numbers, then those
// that are found by name.
func (e *Estates) Own(ctx context.Context, t tenant.ID, n Numbers) iter.Seq2[table.Attributes, error] {
	return func(yield func(table.Attributes, error) bool) {
		for item, err := range e.Each(ctx, e.Numbered(t, n)) {
			if !yield(item, err) || err != nil {
				return
			}
		}
		for item, err := range e.InOrder(ctx, e.Named(t)) {
			if !yield(item, err) {
				return
			}
		}
	}
}

// InOrder yields the items of partitions, one after the other.
func (e *Estates) InOrder(ctx context.Context, partitions []string) iter.Seq2[table.Attributes, error] {
	return func(yield func(table.Attributes, error) bool) {
		for _, pk := range partitions {
			for item, err := range e.Partition(ctx, pk) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}

// Each yields the items of many small partitions, in the order of the list. Some are read ahead.
func (e *Estates) Each(ctx context.Context, partitions []string) iter.Seq2[table.Attributes, error] {
	return func(yield func(table.Attributes, error) bool) {
		for some := range slices.Chunk(partitions, atOnce) {
			found, failed := make([][]table.Attributes, len(some)), make([]error, len(some))
			var wait sync.WaitGroup
			for i, pk := range some {
				wait.Go(func() {
					for item, err := range e.Partition(ctx, pk) {
						if err != nil {
							failed[i] = err
							return
						}
						found[i] = append(found[i], item)
					}
				})
			}
			wait.Wait()
			for i := range some {
				for _, item := range found[i] {
					if !yield(item, nil) {
						return
					}
				}
				if failed[i] != nil {
					yield(nil, failed[i])
					return
				}
			}
		}
	}
}

// KeyOf is the key of an item.
func KeyOf(item table.Attributes) table.Key {
	return table.Key{PK: item.Text("pk"), SK: item.Text("sk")}
}
