package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tenantry/tenantry/shared/kinds"
)

const importRows = 1000

// load imports n clients of a kind, individual or legal. of makes each row from its number.
func (c client) load(ctx context.Context, kind string, n int, of func(n int) row) error {
	for from := 0; from < n; from += importRows {
		body := rows(from, min(importRows, n-from), of)
		if _, err := c.send(ctx, http.MethodPost, clientsPath+"import/"+kind+"/", body); err != nil {
			return err
		}
	}
	return nil
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
	for i := 0; i < len(all); i += 100 {
		if _, err := c.send(ctx, http.MethodPatch, fmt.Sprintf("%s%.0f/", clientsPath, all[i]["id"]), `{"signed":true}`); err != nil {
			return err
		}
	}
	return b.makeSegments(ctx, name, kinds.Client)
}

// searchable makes documents, and their segments.
func (b *bench) searchable(ctx context.Context, n int) error {
	name := thousands(n) + " documents"
	if _, err := b.seed(ctx, name, n, nil); err != nil {
		return err
	}
	return b.makeSegments(ctx, name, kinds.Document)
}

func (b *bench) search(ctx context.Context, _ *section) error { return b.searchable(ctx, b.searched) }

// grown makes companies of three sizes, of which the one between is left out of small runs.
func (b *bench) grown(ctx context.Context, _ *section) error {
	sizes := []int{b.searched, b.documents}
	if between := 10 * b.searched; between < b.documents {
		b.texts["between"] = thousands(between) + " documents"
		sizes = append(sizes, between)
	}
	for _, n := range sizes {
		if err := b.searchable(ctx, n); err != nil {
			return err
		}
	}
	return nil
}
