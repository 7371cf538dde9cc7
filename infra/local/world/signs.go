package world

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// blank is a PDF of one empty page. It is what signers of the story sign, because what is written anew of the same bytes has
// always the same hash: codes are bound to it.
const blank = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n" +
	"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>\nendobj\nxref\n0 4\n0000000000 65535 f \n" +
	"0000000009 00000 n \n0000000054 00000 n \n0000000105 00000 n \ntrailer\n<</Size 4/Root 1 0 R>>\nstartxref\n184\n%%EOF\n"

// signs: six more documents of ann's are of one PDF. Of each, client 1 is a signer, and 2, who has no telephone, another one: the document
// "draft" waits for them, of "open" the first has opened the page, of "code" they were sent a code, "rejected" they have rejected, and
// "signed" they have signed. Of "own" only the company is a signer. The values are the uuids of the first signs, the numbers of their
// documents, the SHA-256 of what they sign, and a code with its confirm_id.
func (s *story) signs(ctx context.Context) error {
	ann := s.values["ann.access"]
	file, err := s.store(ctx, ann, "Lease.pdf", blank)
	if err != nil {
		return err
	}
	for _, name := range []string{"draft", "open", "code", "rejected", "signed"} {
		at, err := s.toSign(ctx, name, file)
		if err != nil {
			return err
		}
		var sign struct{ UUID uuid.UUID }
		if err := s.call(ctx, ann, http.MethodPost, at+"signs/", `{"client":1}`, &sign); err != nil {
			return err
		}
		s.values["sign."+name] = sign.UUID.String()
		if err := s.call(ctx, ann, http.MethodPost, at+"signs/", `{"client":2,"method_allowed":[2]}`, nil); err != nil {
			return err
		}
	}
	at, err := s.toSign(ctx, "own", file)
	if err != nil {
		return err
	}
	if err := s.call(ctx, ann, http.MethodPost, at+"company/", `{}`, nil); err != nil {
		return err
	}
	for _, name := range []string{"open", "code", "signed"} {
		if err := s.call(ctx, "", http.MethodPost, s.signer(name)+"open/", `{}`, nil); err != nil {
			return err
		}
	}
	if err := s.call(ctx, "", http.MethodPost, s.signer("rejected")+"reject/", `{"reason":"The price is another one."}`, nil); err != nil {
		return err
	}
	if err := s.ask(ctx, "code"); err != nil {
		return err
	}
	if err := s.ask(ctx, "signed"); err != nil {
		return err
	}
	return s.call(ctx, "", http.MethodPost, s.signer("signed")+"sign/confirm/",
		fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, s.values["signed.confirm"], s.values["signed.code"]), nil)
}

// withdrawn: of one more document, client 1 has signed, and ann has withdrawn it.
func (s *story) withdrawn(ctx context.Context) error {
	const name = "withdrawn"
	ann := s.values["ann.access"]
	file, err := s.store(ctx, ann, "Lease.pdf", blank)
	if err != nil {
		return err
	}
	at, err := s.toSign(ctx, name, file)
	if err != nil {
		return err
	}
	var sign struct{ UUID uuid.UUID }
	if err := s.call(ctx, ann, http.MethodPost, at+"signs/", `{"client":1}`, &sign); err != nil {
		return err
	}
	s.values["sign."+name] = sign.UUID.String()
	if err := s.call(ctx, ann, http.MethodPost, at+"signs/", `{"client":2,"method_allowed":[2]}`, nil); err != nil {
		return err
	}
	if err := s.call(ctx, "", http.MethodPost, s.signer(name)+"open/", `{}`, nil); err != nil {
		return err
	}
	if err := s.ask(ctx, name); err != nil {
		return err
	}
	if err := s.call(ctx, "", http.MethodPost, s.signer(name)+"sign/confirm/",
		fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, s.values[name+".confirm"], s.values[name+".code"]), nil); err != nil {
		return err
	}
	return s.call(ctx, ann, http.MethodDelete, at, "", nil)
}

// signer is the path of a document as the first signer reaches it.
func (s *story) signer(name string) string { return "/v2/documents/" + s.values["sign."+name] + "/" }

// toSign makes a document of a file, and returns its path.
func (s *story) toSign(ctx context.Context, name, file string) (path string, err error) {
	var d struct{ ID int64 }
	if err := s.call(ctx, s.values["ann.access"], http.MethodPost, "/v2/documents/",
		fmt.Sprintf(`{"name":"To sign: %s","source":1,"file":%q}`, name, file), &d); err != nil {
		return "", err
	}
	s.values["document."+name] = fmt.Sprint(d.ID)
	return fmt.Sprintf("/v2/documents/%d/", d.ID), nil
}

// ask has a code made for the first signer of a document, and keeps it: nobody carries the message with it out.
func (s *story) ask(ctx context.Context, name string) error {
	var shown struct{ File struct{ SHA256 string } }
	if err := s.call(ctx, "", http.MethodGet, s.signer(name), "", &shown); err != nil {
		return err
	}
	s.values[name+".sha256"] = shown.File.SHA256
	var asked struct {
		ConfirmID string `json:"confirm_id"`
	}
	read := fmt.Sprintf(`{"sha256":%q}`, shown.File.SHA256)
	if err := s.call(ctx, "", http.MethodPost, s.signer(name)+"sign/", read, &asked); err != nil {
		return err
	}
	env := s.w.env
	desk, id := document.NewDesk(env.Table, env.Files, env.Keys, env.NewUUID), uuid.MustParse(s.values["sign."+name])
	p, err := desk.Public.Reach(ctx, id)
	if err != nil {
		return err
	}
	d, err := desk.Kind.Get(ctx, record.Scope{Table: table.Of(env.Table, p.Table.ID()), Now: env.Now}, p.Document)
	if err != nil {
		return err
	}
	sign, err := d.SignByUUID(id)
	if err != nil {
		return err
	}
	s.values[name+".confirm"] = asked.ConfirmID
	s.values[name+".code"], err = desk.CodeText(ctx, d, sign)
	return err
}
