package documents

import (
	"context"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/font/letters"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
)

// signerOf makes a signer of a client.
func signerOf(ctx context.Context, w *record.Work, id int64, errs fault.FieldErrors) (p document.Signer, err error) {
	if errs.Has("client") {
		return p, nil
	}
	c, err := client.Kind().Read(ctx, w, id)
	if f, ok := fault.As(err); ok && f.Code == fault.NotFound {
		errs.Add("client", say.DoesNotExist(id))
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p = document.Signer{Name: short(c.Name), Phone: c.Phone, Email: c.Email, Type: document.Client, OuterID: &id}
	switch {
	case c.Legal != nil && c.Legal.BIN != nil:
		p.Number, p.Organisation = *c.Legal.BIN, c.LegalType == nil || *c.LegalType != client.SoleTrader
	case c.Individual != nil && c.Individual.IIN != nil:
		p.Number = *c.Individual.IIN
	}
	return p, nil
}

// maxSigner is how long the name of a signer is, in characters.
const maxSigner = 255

func short(name string) string {
	if letters := []rune(name); len(letters) > maxSigner {
		return string(letters[:maxSigner])
	}
	return name
}

// drawn is nil if the record of who has signed can be drawn, with the names of the document, of the company and of a signer as they are.
// It is asked before there is anything to sign, because afterwards it would be too late.
func drawn(ctx context.Context, w *record.Work, d *document.Document, signer document.Signer) error {
	c, err := company.Get(ctx, w)
	if err != nil {
		return err
	}
	errs := fault.FieldErrors{}
	drawable("client", say.SignerNameNotDrawn, signer.Name, errs)
	drawable("name", say.DocumentNameNotDrawn, d.Name, errs)
	drawable("company", say.CompanyNameNotDrawn, c.Name, errs)
	return errs.Err()
}

// drawable adds what a text has that can't be drawn.
func drawable(field string, says func(why say.Message) say.Message, text string, errs fault.FieldErrors) {
	if missing, found := letters.Missing(text); found {
		errs.Add(field, says(missing.Message()))
	}
}
