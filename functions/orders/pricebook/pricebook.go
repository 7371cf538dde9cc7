// Package pricebook provides the price rules of a company: the rules themselves, which managers edit, and the price book, which prices
// follow from.
//
// The book is one item that holds all active rules. Each change of an active rule makes the next book, and the ones before it are kept
// under their numbers, so that a line of an order is priced by the book that it was agreed by as long as it lives.
//
// What never goes in here: HTTP, and how a price follows from rules (functions/orders/pricing).
package pricebook

import (
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/functions/orders/pricing"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

const version = 1

// Book is the price book of a company. Number counts the books from 1; 0 is the book of a company that never had a rule, which is empty.
type Book struct {
	Number int64
	Rules  []Entry // the active ones, by their ids
}

// Entry is an active rule as a book keeps it.
type Entry struct {
	ID int64 `dynamo:"i"`
	Definition
}

// stored is a book as it is stored.
type stored struct {
	table.Item
	Number int64   `dynamo:"r"` // of the book as it is now, each write is conditional on it
	Rules  []Entry `dynamo:"l,omitempty"`
}

// Place is where a rental is priced: the group of its item, the category of that, and the rental point of its order.
type Place struct{ Group, Category, Point *int64 }

// Key is the key of the book as it is now.
func Key(t *table.Tenant) table.Key { return t.PriceBook() }

// KeyOf is the key of the book with a number, which is at least 1.
func KeyOf(t *table.Tenant, number int64) table.Key { return t.PriceBookOf(number) }

// Now reads the book as it is now.
func Now(ctx context.Context, w *record.Work) (Book, error) {
	b, _, err := read(ctx, w, Key(w.Scope().Table))
	return b, err
}

// Read reads the book with a number. That with the number 0 is empty, and is not read.
func Read(ctx context.Context, w *record.Work, number int64) (Book, error) {
	if number == 0 {
		return Book{}, nil
	}
	b, ok, err := read(ctx, w, KeyOf(w.Scope().Table, number))
	if err == nil && !ok {
		err = fmt.Errorf("pricebook: there is no book with the number %d", number)
	}
	return b, err
}

// read reads the book at a key, and tells whether it is there.
func read(ctx context.Context, w *record.Work, key table.Key) (b Book, ok bool, err error) {
	found, err := w.Item(ctx, key)
	if err != nil || found == nil {
		return Book{}, false, err
	}
	var s stored
	if err := found.Decode(&s); err != nil {
		return Book{}, false, err
	}
	if s.V != version {
		return Book{}, false, fmt.Errorf("pricebook: the book %d has the schema version %d", s.Number, s.V)
	}
	return Book{s.Number, s.Rules}, true, nil
}

// At returns the rules of a book that are for a place.
func (b Book) At(p Place) (rules []pricing.Rule) {
	for _, e := range b.Rules {
		if e.isFor(p) {
			rules = append(rules, e.rule())
		}
	}
	return rules
}

// isFor tells whether a rule is for a place. What the place does not have, such as a rental point, is in no list.
func (d Definition) isFor(p Place) bool {
	return among(d.Groups, p.Group) && among(d.Categories, p.Category) && among(d.Points, p.Point)
}

// among tells whether a list holds an id, or is empty, which stands for all.
func among(list []int64, id *int64) bool {
	return len(list) == 0 || id != nil && slices.Contains(list, *id)
}
