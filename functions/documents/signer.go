package documents

import (
	"context"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
)

// signerOf makes a signer of a client.
func signerOf(ctx context.Context, w *record.Work, id int64, errs fault.FieldErrors) (p document.Signer, err error) {
	if errs.Has("client") {
		return p, nil
	}
	c, err := client.Kind().Read(ctx, w, id)
	if f, ok := fault.As(err); ok && f.Code == fault.NotFound {
		errs.Add("client", fault.BadReference(id))
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
