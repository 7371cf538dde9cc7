// Package company provides a company to other groups: its record, its time zone, the currency of its amounts, and the
// settings by which it rents out.
//
// What never goes in here: HTTP, the members of a company (staff), and how a company is found
// by its domain.
package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // Lambda's machines have no time zone database

	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Company is a company as it is stored. Host is the host name by which it is found; it is
// empty until a claimed host is proven.
type Company struct {
	table.Item
	ID        int64          `dynamo:"id"`
	Name      string         `dynamo:"n"`
	Address   string         `dynamo:"a,omitempty"`
	Country   *string        `dynamo:"c,omitempty"`
	Currency  string         `dynamo:"cu"`
	TimeZone  string         `dynamo:"tz"`
	Logo      *uploads.Image `dynamo:"l,omitempty"`
	Extra     string         `dynamo:"e,omitempty"` // JSON
	Host      string         `dynamo:"h,omitempty"`
	Claim     string         `dynamo:"cl,omitempty"`
	CreatedAt time.Time      `dynamo:"at"`
	CreatedBy int64          `dynamo:"cb"`
	Owners    int64          `dynamo:"ow"`
	BIN       *string        `dynamo:"b,omitempty"`
	Phone     *string        `dynamo:"p,omitempty"`
	Email     *string        `dynamo:"em,omitempty"`
	Rental    *Rental        `dynamo:"re,omitempty"`
	Revision  int64          `dynamo:"r"` // counts the changes that are made of it
	Plan      *Plan          `dynamo:"pl,omitempty"`
	// Seats is how many members and invitations there are; nil in a company whose staff has not changed since that is counted.
	Seats *int64 `dynamo:"mn,omitempty"`
	// UsedFrom is the first day, as 2026-11-27, that takes what is used, since the zone was changed: days before it may be counted.
	UsedFrom string `dynamo:"uf,omitempty"`
	// Language is the one in which the company writes; see Speaks.
	Language say.Language `dynamo:"la,omitempty"`
	tenant.Standing
	// Before is how a closed company stood before, which it does again once that is taken back; of one that was suspended after its owner
	// had closed it, the closing.
	Before *tenant.Standing `dynamo:"stb,omitempty"`
}

// WasClosed tells whether a company that is suspended was closed by its owner before.
func (c Company) WasClosed() bool {
	return c.State == tenant.Suspended && c.Before != nil && c.Before.State == tenant.Closed
}

// Layers are the states of a company, the one that counts first: the host and an owner may each have done something about it.
func (c Company) Layers() []tenant.State {
	layers := []tenant.State{c.State}
	if c.Before != nil && c.Before.State != tenant.Active {
		layers = append(layers, c.Before.State)
	}
	return layers
}

// Grace is how long an owner can take back that a company was closed.
const Grace = 14 * 24 * time.Hour

// Ends is when a closed company is erased; nil of another one.
func (c Company) Ends() *time.Time {
	if c.State != tenant.Closed {
		return nil
	}
	at := c.Since.Time().UTC().Add(Grace)
	return &at
}

// Speaks is the language in which the company writes to people who have chosen none, and in which its documents are: its own choice,
// else the `language` of its extra, where companies said it before they had the field. It is empty if neither says one of ours.
func (c Company) Speaks() say.Language {
	if c.Language != "" {
		return c.Language
	}
	var extra struct {
		Language string `json:"language"`
	}
	if json.Unmarshal([]byte(c.Extra), &extra) != nil {
		return "" // it holds what it likes
	}
	tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(extra.Language)), "-")
	if said := say.Language(tag); slices.Contains(say.Languages(), said) {
		return said
	}
	return ""
}

// Version is the schema version of a Company.
const Version = 1

// Get reads the company of a unit of work. It costs one unit, once; call it only where a time
// zone or currency is needed.
func Get(ctx context.Context, w *record.Work) (c Company, err error) {
	item, err := w.Item(ctx, w.Scope().Table.Company())
	if err != nil {
		return c, err
	}
	if item == nil {
		return c, errors.New("company: it has no record")
	}
	err = item.Decode(&c)
	c.Revision = max(c.Revision, 1) // the first companies were stored without a revision
	return c, err
}

// CurrencyOf returns the currency of a company's amounts, for the sheets of a resource. It costs what Get costs.
func CurrencyOf(ctx context.Context, w *record.Work) (string, error) {
	c, err := Get(ctx, w)
	return c.Currency, err
}

// ZoneOf returns the time zone of a company, for web.Group.Zone. It costs one unit.
func ZoneOf(ctx context.Context, t *table.Tenant) (*time.Location, error) {
	var c Company
	if err := t.Get(ctx, t.Company(), &c); err != nil {
		return nil, err
	}
	return c.Zone()
}

// UseOn is when, in the company's zone, something counts that is used at a moment. It is that moment, unless its day was over already in
// a zone that the company had before: then it is the next day that was not, because a day that is counted stays as it is.
func (c Company) UseOn(at time.Time) (time.Time, error) {
	zone, err := c.Zone()
	if err != nil {
		return at, err
	}
	at = at.In(zone)
	if c.UsedFrom == "" {
		return at, nil
	}
	first, err := time.ParseInLocation(time.DateOnly, c.UsedFrom, zone)
	if err != nil {
		return at, fmt.Errorf("company: the day from which %d uses something: %w", c.ID, err)
	}
	if at.Before(first) {
		return first, nil
	}
	return at, nil
}

// Zone returns the time zone in which the company's days begin.
func (c Company) Zone() (*time.Location, error) {
	zone, err := time.LoadLocation(c.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("company: time zone of %d: %w", c.ID, err)
	}
	return zone, nil
}
