package estate

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/feed"
	"github.com/tenantry/tenantry/functions/tenants/key"
	"github.com/tenantry/tenantry/functions/tenants/staff"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Outside is an item of no company that is a company's. Of the hash of a sealed file it also says how that was sealed.
type Outside struct {
	table.Attributes
	Seal *document.Seal
}

// wanted is where an item of no company may be.
type wanted struct {
	key  table.Key
	seal *document.Seal
}

// Outside yields the items of no company that are a company's: the item of its host, invitations into it, feed tokens, keys for
// programs, signs, hashes of sealed documents, and the list of memberships of each of its members. Others may have an item of the same
// key; such a one is not yielded.
func (e *Estates) Outside(ctx context.Context, t tenant.ID) iter.Seq2[Outside, error] {
	return func(yield func(Outside, error) bool) {
		const most = 100 // of one call
		var list []wanted
		flush := func() bool {
			keys, seals := make([]table.Key, len(list)), map[table.Key]*document.Seal{}
			for i, w := range list {
				keys[i] = w.key
				if w.seal != nil {
					seals[w.key] = w.seal
				}
			}
			items, err := e.all.GetMany(ctx, keys...)
			if err != nil {
				yield(Outside{}, err)
				return false
			}
			for _, k := range keys {
				item := table.Attributes(items[k])
				delete(items, k)
				if item != nil && names(item, t) && !yield(Outside{item, seals[k]}, nil) {
					return false
				}
			}
			list = list[:0]
			return true
		}
		for w, err := range e.wanted(ctx, t) {
			if err != nil {
				yield(Outside{}, err)
				return
			}
			if list = append(list, w); len(list) == most && !flush() {
				return
			}
		}
		flush()
	}
}

// names tells whether an item of no company says that it is a company's.
func names(item table.Attributes, t tenant.ID) bool {
	if item.Text("sk") != "memberships" {
		return item.Int("t") == int64(t)
	}
	for _, m := range item.List("m") {
		if m.Int("t") == int64(t) {
			return true
		}
	}
	return false
}

// wanted yields the keys that the company's records lead to, those of deleted records too: whatever removes an item of no company
// removes it with its record, and a look costs little.
func (e *Estates) wanted(ctx context.Context, t tenant.ID) iter.Seq2[wanted, error] {
	return func(yield func(wanted, error) bool) {
		own := e.Of(t)
		is, err := e.Company(ctx, t)
		if err != nil {
			yield(wanted{}, err)
			return
		}
		var c company.Company
		if is != nil {
			if err := is.Decode(&c); err != nil {
				yield(wanted{}, err)
				return
			}
		}
		for _, host := range []string{c.Host, c.Claim} {
			if host != "" && !yield(wanted{key: crosstenant.Domain(host)}, nil) {
				return
			}
		}
		for _, partition := range []string{
			own.Member(0).PK, own.Records(kinds.Staff), own.Archive(kinds.Staff, 0).PK, own.Records(kinds.FeedToken),
			own.Archive(kinds.FeedToken, 0).PK, own.Records(kinds.Key), own.Archive(kinds.Key, 0).PK,
			own.Records(kinds.Document), own.Archive(kinds.Document, 0).PK,
		} {
			for item, err := range e.Partition(ctx, partition) {
				var list []wanted
				if err == nil {
					list, err = leads(item, t)
				}
				if err != nil {
					yield(wanted{}, err)
					return
				}
				for _, w := range list {
					if !yield(w, nil) {
						return
					}
				}
			}
		}
	}
}

// leads returns the keys that one item of the company leads to.
func leads(item table.Attributes, t tenant.ID) (list []wanted, err error) {
	switch KindOf(item.Text("pk")) {
	case "member":
		return []wanted{{key: crosstenant.Memberships(item.Int("u"))}}, nil
	case string(kinds.Staff):
		var s staff.Staff
		err := item.Decode(&s)
		return []wanted{{key: crosstenant.Invitation(s.Email, t)}}, err
	case string(kinds.FeedToken):
		var f feed.Token
		err := item.Decode(&f)
		return []wanted{{key: crosstenant.Feed(f.Hash)}}, err
	case string(kinds.Key):
		var k key.Key
		err := item.Decode(&k)
		return []wanted{{key: crosstenant.Key(k.Hash)}}, err
	case string(kinds.Document):
		d := new(document.Document)
		if err := item.Decode(d); err != nil {
			return nil, err
		}
		return leadsOf(d, t), nil
	}
	return nil, fmt.Errorf("estate: nothing is known of %s", item.Text("pk"))
}

// leadsOf returns the keys that a document leads to: those of its signs, and of the hashes of its files once it is sealed.
func leadsOf(d *document.Document, t tenant.ID) (list []wanted) {
	for _, signs := range [][]document.Sign{d.Signs, d.Removed} {
		for i := range signs {
			list = append(list, wanted{key: crosstenant.Sign(signs[i].UUID)})
		}
	}
	if d.Seal == nil {
		return list
	}
	if f := d.FileOf(document.SealedFile); f != nil {
		list = append(list, wanted{crosstenant.SealedHash(f.SHA256, t, d.ID), d.Seal})
	}
	if f := d.FileOf(document.Original); f != nil {
		list = append(list, wanted{crosstenant.OriginalHash(f.SHA256, time.UnixMicro(d.Seal.At), t, d.ID), d.Seal})
	}
	return list
}
