package restore

import (
	"context"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// maxItem is how many bytes an item may have.
const maxItem = 400 << 10

// Dry goes through all that would be written for a company under a number of its own, and is an error if something of it can't be. So what
// never could be ended is not begun.
func (r *Restorer) Dry(ctx context.Context, was tenant.ID) error {
	members, err := r.members(ctx, was)
	if err != nil {
		return err
	}
	const some = tenant.ID(table.MaxID) // a number that no company has
	dry := *r
	dry.Arrives = nil // which asks KMS for each sign
	run := &run{Restorer: &dry, was: was, is: some, all: r.To.All(), to: r.To.Of(some), members: members, anew: true, report: &Report{
		Left: map[string]int{},
	}}
	company, err := r.From.Company(ctx, was)
	if err != nil {
		return err
	}
	if run.company, err = run.renamed(company); err != nil {
		return err
	}
	if run.numbers, err = r.From.Numbers(ctx, was); err != nil {
		return err
	}
	keys := keyspace.New()
	for item, err := range run.copied(ctx, r.From.Own(ctx, was, run.numbers)) {
		if err == nil {
			err = writable(keys, item, r.marks(item))
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	for item, err := range r.From.Outside(ctx, was) {
		var renamed table.Attributes
		if err == nil {
			renamed, err = run.renamed(item.Attributes)
		}
		if err == nil {
			err = writable(keys, renamed, 0)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	return nil
}

// marks are how many bytes more a record of another stage may have once it has arrived: each sign gets a mark, beside those with which it
// came.
func (r *Restorer) marks(item table.Attributes) (bytes int) {
	if r.Arrives == nil || estate.KindOf(item.Text("pk")) != string(kinds.Document) {
		return 0
	}
	for _, at := range document.MarksAt() {
		list, _, _ := strings.Cut(at, "[]")
		bytes += len(item.List(list)) * document.MarkBytes
	}
	return bytes
}

// writable is an error if the table does not take an item that is to have some bytes more.
func writable(keys *keyspace.Space, item table.Attributes, more int) error {
	key := estate.KeyOf(item)
	t, own := table.TenantOf(key.PK)
	switch {
	case !keys.Item(key.PK, key.SK):
		return fmt.Errorf("%q %q is no key of the table", key.PK, key.SK)
	case item.Size()+more > maxItem:
		return fmt.Errorf("%s %s has %d bytes, more than an item may have", key.PK, key.SK, item.Size()+more)
	}
	for _, index := range keyspace.Indexes() {
		value, is := item[index.Hash]
		if !is {
			continue
		}
		hash := item.Text(index.Hash)
		of, ofCompany := table.TenantOf(hash)
		if !keys.Index(index.Name, hash) || ofCompany && (!own || of != t) {
			return fmt.Errorf("%s %s has %v in the index %s", key.PK, key.SK, value, index.Name)
		}
	}
	return nil
}
