package client

import (
	"context"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/record"
)

// mostAgreements is how many of a client's signed documents are remembered beside the client, the latest ones: when the
// latest is deleted, the one before it is the client's agreement again.
const mostAgreements = 20

// Agree notes that a document that a client has signed was sealed at a moment, the given day where the company is. The
// latest such document is the client's agreement. What was noted before changes nothing.
func Agree(ctx context.Context, w *record.Work, id, document int64, at time.Time, day decode.Date) error {
	signed, err := Kind().Entries(ctx, w, id)
	if err != nil {
		return err
	}
	if _, known := signed[document]; known {
		return nil
	}
	if len(signed) >= mostAgreements {
		oldest, _ := ends(signed)
		if err := Kind().RemoveEntry(ctx, w, id, oldest); err != nil {
			return err
		}
	}
	full := fault.New(fault.Unavailable, "") // others have noted documents at the same moment
	if err := Kind().SetEntry(ctx, w, id, document, record.Entry{At: moment.Of(at)}, full); err != nil {
		return err
	}
	c, err := Kind().Edit(ctx, w, id)
	if err != nil {
		return err
	}
	signed[document] = record.Entry{At: moment.Of(at)}
	if _, latest := ends(signed); latest == document {
		c.agreement(latest)
		c.Signed, c.SignDate = true, &day
	}
	return nil
}

// Disagree forgets a document that was deleted. If it was the client's agreement, the one before it is that again, with its day
// in the company's zone; a client without one has not signed.
func Disagree(ctx context.Context, w *record.Work, id, document int64, zone *time.Location) error {
	signed, err := Kind().Entries(ctx, w, id)
	if err != nil {
		return err
	}
	if _, known := signed[document]; !known {
		return nil
	}
	if err := Kind().RemoveEntry(ctx, w, id, document); err != nil {
		return err
	}
	delete(signed, document)
	c, err := Kind().Edit(ctx, w, id)
	if err != nil {
		return err
	}
	if c.AgreementID != nil && *c.AgreementID == strconv.FormatInt(document, 10) {
		_, latest := ends(signed)
		c.agreement(latest)
		c.Signed, c.SignDate = latest > 0, nil
		if c.Signed {
			day := decode.Date(signed[latest].At.Time().In(zone).Format(time.DateOnly))
			c.SignDate = &day
		}
	}
	return nil
}

// agreement sets the number of the client's agreement; 0 is none.
func (c *Client) agreement(document int64) {
	c.AgreementID = nil
	if document > 0 {
		number := strconv.FormatInt(document, 10)
		c.AgreementID = &number
	}
}

// ends returns the documents that were sealed first and last; 0 if there are none. Of several sealed at the same moment,
// the number decides.
func ends(signed record.Entries) (first, last int64) {
	before := func(a, b int64) bool {
		if signed[a].At != signed[b].At {
			return signed[a].At < signed[b].At
		}
		return a < b
	}
	for document := range signed {
		if first == 0 || before(document, first) {
			first = document
		}
		if last == 0 || before(last, document) {
			last = document
		}
	}
	return first, last
}
