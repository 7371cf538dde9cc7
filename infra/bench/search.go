package main

import (
	"context"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/tenantry/tenantry/shared/kinds"
)

const (
	importers  = 2 // how many imports of one company run at a time
	importRows = 1000
	signedOnes = 100 // one of this many clients has signed
)

// load imports n clients, several imports at a time. kind is that of the import, and of makes the rows.
func (c client) load(ctx context.Context, kind string, n int, of func(n int) row) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(importers)
	for from := 0; from < n && ctx.Err() == nil; from += importRows {
		g.Go(func() error {
			_, err := c.send(ctx, http.MethodPost, clientsPath+"import/"+kind+"/", rows(from, min(importRows, n-from), of))
			return err
		})
	}
	return g.Wait()
}

// clientSearch makes clients: four fifths are individuals with an IIN, the others legal entities with a BIN, and some have signed since
// they were imported.
func (b *bench) clientSearch(ctx context.Context, _ *section) error {
	name := b.fill("{searched} clients, searched", 0, nil)
	c, err := b.client(ctx, name, "clients")
	if err != nil {
		return err
	}
	if err := c.load(ctx, "individual", b.searched-b.searched/5, individual); err != nil {
		return err
	}
	if err := c.load(ctx, "legal", b.searched/5, legalEntity); err != nil {
		return err
	}
	all, err := c.whole(ctx, clientsPath)
	if err != nil {
		return err
	}
	for i := 0; i < len(all); i += signedOnes {
		if _, err := c.send(ctx, http.MethodPatch, fmt.Sprintf("%s%.0f/", clientsPath, all[i]["id"]), `{"signed":true}`); err != nil {
			return err
		}
	}
	return b.makeSegments(ctx, name, kinds.Client)
}

// search makes documents, and their segments.
func (b *bench) search(ctx context.Context, _ *section) error {
	name := thousands(b.searched) + " documents"
	if _, err := b.seed(ctx, name, b.searched, nil); err != nil {
		return err
	}
	return b.makeSegments(ctx, name, kinds.Document)
}

// grown makes companies of three sizes, of which the one between is left out of small runs.
func (b *bench) grown(ctx context.Context, _ *section) error {
	names := map[string]int{
		hundred: 100, thousands(b.searched) + " documents": b.searched, thousands(b.documents) + " documents": b.documents,
	}
	if between := 10 * b.searched; between < b.documents {
		b.texts["between"] = thousands(between) + " documents"
		names[b.texts["between"]] = between
	}
	for name, n := range names {
		if _, err := b.seed(ctx, name, n, nil); err != nil {
			return err
		}
		if name == hundred {
			continue
		}
		if err := b.makeSegments(ctx, name, kinds.Document); err != nil {
			return err
		}
	}
	return nil
}
