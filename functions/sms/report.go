package sms

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
)

// skew is by how much the time of a report may differ from ours.
const skew = 5 * time.Minute

type reportInput struct {
	Timestamp string `header:"X-Timestamp" doc:"Unix seconds, at most five minutes from now"`
	Signature string `header:"X-Signature" doc:"Hex of the HMAC-SHA256 of the timestamp, a dot and the body, under the secret"`
	Body      reportBody
}

// outcome is what a provider says has become of a message.
type outcome string

const (
	saysDelivered outcome = "delivered"
	saysFailed    outcome = "failed"
)

// Values are the outcomes.
func (outcome) Values() []enum.Value { return enum.Named(saysDelivered, saysFailed) }

type reportBody struct {
	ID     decode.Optional[string]  `json:"id" required:"true" maxLength:"255" doc:"The id that the provider was given with the message"`
	Status decode.Optional[outcome] `json:"status" required:"true" example:"delivered"`
}

// Report is what a report was taken for.
type Report struct {
	Status string `json:"status" enum:"DELIVERED,FAILED" doc:"Of the message to that telephone, now. The first final one counts."`
}

// callback is where a provider reports what became of a message.
func (g *group) callback() web.Operation {
	return web.Op(web.Operation{
		ID: "sms-callback", Method: http.MethodPost, Path: "/v1/sms/callback/", Access: web.Public,
		Faults: []fault.Code{fault.Forbidden, fault.NotFound}, Summary: "Report what became of an SMS",
		Doc: "For the provider of SMS, which signs each report; a signature is taken once. A report that got no answer is signed and " +
			"sent again: what it says counts once. 404 where no secret is configured, and for an id of nothing.",
	}, g.report)
}

func (g *group) report(ctx context.Context, r *web.Request, in *reportInput) (*Report, error) {
	secret := g.env.Config.SMS.CallbackSecret
	if secret == "" {
		return nil, fault.ErrNotFound
	}
	signature, ok := g.isSigned(secret, in, r.Sent())
	if !ok {
		return nil, fault.ErrForbidden
	}
	ref, ok := parseReference(secret, in.Body.ID.Value)
	if !ok {
		return nil, fault.ErrNotFound
	}
	scope := record.Scope{
		Table: table.Of(g.env.Table, ref.tenant), Actor: audit.Actor{Request: r.ID, At: g.env.Now()}, Now: g.env.Now,
	}
	if _, err := ref.find(messages().Get(ctx, scope, ref.message)); err != nil {
		return nil, err
	}
	if err := g.once(ctx, scope, signature); err != nil {
		return nil, err
	}
	to := delivered
	if in.Body.Status.Value == saysFailed {
		to = failed
	}
	var now state
	err := scope.Do(ctx, nil, func(w *record.Work) error {
		m, err := ref.find(messages().Edit(ctx, w, ref.message))
		if err != nil {
			return err
		}
		if now = m.To[ref.index].State; now.isFinal() {
			return nil
		}
		status := m.Status
		now, m.To = to, slices.Clone(m.To)
		m.To[ref.index].State = to
		m.settle()
		m.become(w, status)
		if to == failed {
			return refund(ctx, w, m, map[int]bool{ref.index: true})
		}
		return nil
	})
	return &Report{string(now.status())}, err
}

// find is the message of a reference; it is not found if it is another one.
func (r reference) find(m *message, err error) (*message, error) {
	if err == nil && (m.Created != r.created || r.index < 0 || r.index >= len(m.To)) {
		return nil, fault.ErrNotFound
	}
	return m, err
}

// isSigned tells whether the provider has signed a report, not long ago.
func (g *group) isSigned(secret string, in *reportInput, body []byte) (signature []byte, ok bool) {
	seconds, err := strconv.ParseInt(in.Timestamp, 10, 64)
	if err != nil || !decode.IsDigits(in.Timestamp) {
		return nil, false
	}
	if signature, err = hex.DecodeString(in.Signature); err != nil {
		return nil, false
	}
	h := hmac.New(sha256.New, []byte(secret))
	_, _ = h.Write([]byte(in.Timestamp + ".")) // a hash takes everything
	_, _ = h.Write(body)
	away := g.env.Now().Sub(time.Unix(seconds, 0)).Abs()
	return signature, hmac.Equal(signature, h.Sum(nil)) && away <= skew
}

// takenOnce is a signature that was taken.
type takenOnce struct {
	table.Item
	Request string `dynamo:"rq"`
	TTL     int64  `dynamo:"ttl"`
}

const takenVersion = 1

// once takes a signature; it is forbidden if it was taken before.
func (g *group) once(ctx context.Context, s record.Scope, signature []byte) error {
	item := takenOnce{
		Item:    table.At(s.Table.SMSReport(hex.EncodeToString(signature)), takenVersion),
		Request: s.Actor.Request, TTL: s.Now().Add(time.Hour).Unix(),
	}
	err := table.Retry(ctx, func() error { return s.Table.Create(item).Run(ctx) })
	if !dynamo.IsCondCheckFailed(err) {
		return err
	}
	var by takenOnce
	if err := s.Table.Get(ctx, item.Key(), &by); err != nil {
		return err
	}
	if by.Request != s.Actor.Request { // otherwise the answer to our own write was lost
		return fault.ErrForbidden
	}
	return nil
}
