package document

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/event"
)

// concerns are the records that events of a document concern: the orders and clients that it belongs to, orders first, and the clients
// who sign it.
func (d *Document) concerns() []event.Ref {
	var refs []event.Ref
	for _, l := range d.Links {
		if k, _ := kinds.ByModel(l.Model); k.Code == kinds.Order || k.Code == kinds.Client {
			refs = append(refs, event.Ref{Kind: k.Code, ID: l.ObjectID})
		}
	}
	for i := range d.Signs {
		refs = append(refs, event.To(kinds.Client, d.Signs[i].Signer.OuterID))
	}
	return event.Some(refs...)
}

func (d *Document) on() event.On { return event.Of(d.ID, d.concerns()...) }

// OfSign says of which sign of a document an event is. It never has the sign's uuid, which is what its link opens with.
type OfSign struct {
	Sign   int64  `json:"sign" doc:"Id of the sign, among those of the document."`
	Signer string `json:"signer" doc:"Name of who signs."`
	Client *int64 `json:"client" nullable:"true" doc:"Id of the client who signs; null where the company does."`
}

func (s *Sign) ofSign() OfSign { return OfSign{s.ID, s.Signer.Name, s.Signer.OuterID} }

// SignRequested says that a signer was asked to sign: the link was sent, for the first time or again.
type SignRequested struct {
	event.On
	OfSign
	Channel Channel `json:"channel" doc:"How the link is sent."`
}

// Name is for event.Event.
func (SignRequested) Name() event.Name { return "document.sign.requested" }

// SignOpened says that a signer has opened the page of the link for the first time.
type SignOpened struct {
	event.On
	OfSign
}

// Name is for event.Event.
func (SignOpened) Name() event.Name { return "document.sign.opened" }

// SignSigned says that somebody has signed.
type SignSigned struct {
	event.On
	OfSign
	Method Method `json:"method" doc:"{values}"`
	Left   int    `json:"left" doc:"How many signs of the document are not signed yet."`
}

// Name is for event.Event.
func (SignSigned) Name() event.Name { return "document.sign.signed" }

// SignRejected says that a signer has refused to sign, or that staff has said so. The reason is in the document's evidence.
type SignRejected struct {
	event.On
	OfSign
}

// Name is for event.Event.
func (SignRejected) Name() event.Name { return "document.sign.rejected" }

// SignReopened says that a rejected sign may be signed again.
type SignReopened struct {
	event.On
	OfSign
}

// Name is for event.Event.
func (SignReopened) Name() event.Name { return "document.sign.reopened" }

// SignedByAll says that everybody has signed, so that the document's signs don't change any more.
type SignedByAll struct {
	event.On
	Signs int `json:"signs" doc:"How many have signed."`
}

// Name is for event.Event.
func (SignedByAll) Name() event.Name { return "document.signed" }

// GotSeal says that a document that everybody has signed has its sealed file.
type GotSeal struct {
	event.On
	File     int64  `json:"file" doc:"Id of the sealed file."`
	SHA256   string `json:"sha256" doc:"SHA-256 of the sealed file, in hexadecimal."`
	Level    string `json:"level" enum:"B-B,B-T" doc:"Level of the PAdES signature; B-T has a time stamp."`
	SealedAt string `json:"sealed_at" format:"date-time" doc:"When it was sealed."`
}

// Name is for event.Event.
func (GotSeal) Name() event.Name { return "document.sealed" }

// Events are the events of documents, besides those that come by themselves.
func Events() []event.Sample {
	client := int64(15)
	on := event.Of(41, event.Ref{Kind: kinds.Order, ID: 7}, event.Ref{Kind: kinds.Client, ID: client})
	sign := OfSign{1, "Айгүл Серікқызы", &client}
	return []event.Sample{
		{Event: SignRequested{on, sign, BySMS}, Doc: "A signer was sent the link, for the first time or again."},
		{Event: SignOpened{on, sign}, Doc: "A signer has opened the page of the link for the first time."},
		{Event: SignSigned{on, sign, SMS, 1}, Doc: "A signer has signed, or staff has recorded a signature by hand."},
		{Event: SignRejected{on, sign}, Doc: "A signer has refused to sign, or staff has noted that; the document's signs have it."},
		{Event: SignReopened{on, sign}, Doc: "A sign that was rejected may be signed again."},
		{
			Event: SignedByAll{on, 2},
			Doc:   "Everybody has signed. It comes with the last sign, or where the last one that was open is removed.",
		},
		{
			Event: GotSeal{
				on, FileID(41, 2), "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "B-B", "2026-03-02T09:30:01Z",
			},
			Doc: "The sealed file of a document that everybody has signed was made, seconds after that.",
		},
	}
}

// signed says that a sign was signed, and what follows from it.
func (d *Document) signed(ctx context.Context, w *record.Work, s *Sign) error {
	left := 0
	for i := range d.Signs {
		if d.Signs[i].Status != Signed {
			left++
		}
	}
	w.Happened(SignSigned{d.on(), s.ofSign(), s.Method, left})
	return d.complete(ctx, w)
}

// complete says that everybody has signed, if it is so since the unit of work. Then the document is sealed, which the company's plan
// has to have room for: else it is a fault with the code plan.
func (d *Document) complete(ctx context.Context, w *record.Work) error {
	if !d.IsSigned() {
		return nil
	}
	w.Happened(SignedByAll{d.on(), len(d.Signs)})
	return usage.Spend(ctx, w, usage.Spent{Seals: 1})
}

// Sealed says that a document was sealed, which has its sealed file.
func (k *Desk) Sealed(w *record.Work, d *Document) {
	f := d.FileOf(SealedFile)
	w.Happened(GotSeal{
		On: d.on(), File: FileID(d.ID, f.Number), SHA256: hex.EncodeToString(f.SHA256), Level: d.Seal.Level,
		SealedAt: encode.Instant(time.UnixMicro(d.Seal.At)),
	})
}
