// Package feed provides the feed tokens of a company: credentials for programs of others, such as
// a registry of traffic penalties, which may call the operations that are for feeds and no others.
//
// A token is 32 bytes behind a prefix. It is shown once, to the owner who makes it; only its
// SHA-256 is stored. It is valid until the owner removes it.
//
// What never goes in here: which operations are for feeds (web.Operation.Feed), and how a request
// with a token is recognised (authorizer).
package feed

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Most is how many tokens a company may have.
const Most = 20

// shownEnd is how many of its last characters tell a token from others.
const shownEnd = 4

// Token is a feed token as its company sees it. Beside it the platform has an item by which the
// authorizer finds the company (crosstenant.FeedItem); both are always written together.
type Token struct {
	record.Meta
	Name      string `dynamo:"n"`
	CreatedBy int64  `dynamo:"cb"`
	Hash      string `dynamo:"h"`
	Ending    string `dynamo:"en"` // the last characters of the token
}

// Shown is what a history tells of a token.
type Shown struct {
	Name      string `json:"name"`
	CreatedBy int64  `json:"created_by"`
	Ending    string `json:"ending"`
}

// Kind declares the kind of feed tokens.
func Kind() *record.Kind[*Token] { return declared.Get(declare) }

var declared record.Declared[*Token]

func declare() record.Kind[*Token] {
	return record.Kind[*Token]{
		Kind: kinds.Of(kinds.FeedToken), Most: Most,
		Shown: func(t *Token) any { return Shown{t.Name, t.CreatedBy, t.Ending} },
	}
}

// Tokens makes and removes tokens, with the platform's access to the table.
type Tokens struct{ all crosstenant.Table }

// Open returns the tokens of all companies.
func Open(c *table.Conn) Tokens { return Tokens{crosstenant.Open(c)} }

// Scope returns the scope of a unit of work that makes or removes tokens.
func (t Tokens) Scope(s record.Scope) record.Scope {
	s.Through = t.all
	return s
}

// Text makes the text of a token. It comes of two random uuids, which have 244 random bits.
func Text(newUUID func() uuid.UUID) string {
	a, b := newUUID(), newUUID()
	return crosstenant.FeedText(sha256.Sum256(slices.Concat(a[:], b[:])))
}

// Give makes a new token that has a text.
func (t Tokens) Give(w *record.Work, of *Token, text string) error {
	hash, ok := crosstenant.FeedHash(text)
	if !ok {
		return errors.New("feed: no text of a token")
	}
	of.Hash, of.Ending, of.CreatedBy = hash, text[len(text)-shownEnd:], w.Scope().Actor.User
	Kind().Create(w, "", of)
	w.Also(func(tx *table.Tx) error {
		tx.Put(t.all.Create(crosstenant.FeedItem{
			Item: table.At(crosstenant.Feed(hash), crosstenant.FeedVersion), Tenant: w.Scope().Table.ID(), ID: record.ID(of),
		}), errors.New("feed: another token has the same text"))
		company.Usable(tx, w.Scope().Table)
		return nil
	})
	return nil
}

// Revoke removes a token. Requests that come later are refused.
func (t Tokens) Revoke(ctx context.Context, w *record.Work, of *Token) error {
	if err := Kind().Remove(ctx, w, record.ID(of)); err != nil {
		return err
	}
	w.Also(func(tx *table.Tx) error {
		tx.Delete(t.all.Delete(crosstenant.Feed(of.Hash)), errors.New("feed: a token can't be removed")) // it has no condition
		return nil
	})
	return nil
}
