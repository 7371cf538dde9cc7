package platform

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/infra/local/samples"
	"github.com/tenantry/tenantry/shared/tenant"
)

// signing has the demo company's papers signed over HTTP, as its staff, its clients and their NCALayer would.
type signing struct {
	filler
	public   *client
	platform *Platform
	template int64
}

// paper is what signing has to know of a document.
type paper struct {
	ID    int64
	Files []struct{ File string }
}

// sign is what signing has to know of a sign.
type sign struct {
	ID     int64
	UUID   string
	Signer struct {
		Phone  string
		Client int64 `json:"outer_id"`
	}
}

// papers makes the papers, each with its signs as far as their signers have come, unless there are documents of orders already.
func (p *Platform) papers(ctx context.Context, c *client, list []samples.Paper) error {
	if n, err := c.count(ctx, "/v2/documents/?content_type=OrderRequest"); err != nil || n > 0 {
		return err
	}
	var templates []struct{ ID int64 }
	if err := c.must(ctx, http.MethodGet, "/v2/documents/templates/", nil, &templates); err != nil || len(templates) == 0 {
		return err
	}
	s := signing{filler{c, map[samples.List]map[string]int64{}}, &client{base: c.base, out: c.out}, p, templates[0].ID}
	for _, of := range list {
		if err := s.paper(ctx, of); err != nil {
			return fmt.Errorf("%s: %w", of.Name, err)
		}
	}
	return nil
}

// paper makes a paper, if its client and an order of that client are there.
func (s signing) paper(ctx context.Context, of samples.Paper) error {
	client, err := s.number(ctx, of.Signers[0].Client)
	if err != nil || client == nil {
		return err
	}
	var orders struct{ Results []struct{ ID int64 } }
	if err := s.must(ctx, http.MethodGet, fmt.Sprintf("/v1/crm/requests/?pageSize=1&client=%d", *client), nil, &orders); err != nil ||
		len(orders.Results) == 0 {
		return err
	}
	var d paper
	if err := s.must(ctx, http.MethodPost, "/v2/documents/", map[string]any{
		"name": of.Name, "template": s.template, "content_type": "OrderRequest", "object_id": orders.Results[0].ID,
	}, &d); err != nil {
		return err
	}
	added := make([]sign, len(of.Signers)) // all, before the last one signs
	for i, signer := range of.Signers {
		if added[i], err = s.add(ctx, d, signer); err != nil {
			return err
		}
	}
	for i, signer := range of.Signers {
		if err := s.follow(ctx, d, added[i], signer); err != nil {
			return err
		}
	}
	return nil
}

// add adds a signer to a paper.
func (s signing) add(ctx context.Context, d paper, of samples.Signer) (added sign, err error) {
	base := fmt.Sprintf("/v2/documents/%d/", d.ID)
	if of.Company() {
		err = s.must(ctx, http.MethodPost, base+"company/", struct{}{}, &added)
		return added, err
	}
	client, err := s.number(ctx, of.Client)
	if err != nil {
		return added, err
	}
	err = s.must(ctx, http.MethodPost, base+"signs/", map[string]any{"client": client}, &added)
	return added, err
}

// follow does what a signer has done.
func (s signing) follow(ctx context.Context, d paper, by sign, of samples.Signer) error {
	base := fmt.Sprintf("/v2/documents/%d/", d.ID)
	switch {
	case of.Did == samples.Added:
		return nil
	case of.Company():
		return s.withKey(ctx, d, fmt.Sprintf("%seds_sign/%d/", base, by.ID), s.client, func(p nca.Person) bool {
			return p.BIN == samples.BIN && p.Right == nca.Head
		})
	case of.Did == samples.ByHand:
		return s.byHand(ctx, d, by)
	}
	link := fmt.Sprintf("%ssigns/%d/sms/", base, by.ID)
	if err := s.must(ctx, http.MethodPost, link, struct{}{}, nil); err != nil || of.Did == samples.Linked {
		return err
	}
	own := "/v2/documents/" + by.UUID + "/"
	if err := s.public.must(ctx, http.MethodPost, own+"open/", struct{}{}, nil); err != nil || of.Did == samples.Opened {
		return err
	}
	switch of.Did {
	case samples.Refused:
		return s.public.must(ctx, http.MethodPost, own+"reject/", map[string]string{"reason": "В договоре не тот срок аренды."}, nil)
	case samples.ByEGov:
		return s.withKey(ctx, d, own+"eds/", s.public, func(p nca.Person) bool { return p.IIN == of.Key && p.BIN == "" })
	default:
		return s.byCode(ctx, own, by, of.Did)
	}
}

// byCode asks for a code, and signs with it if that is to be done.
func (s signing) byCode(ctx context.Context, own string, of sign, did samples.Progress) error {
	asked, code := time.Now().Add(-time.Second), struct { // a message's time has no more than milliseconds
		ID string `json:"confirm_id"`
	}{}
	var seen struct{ File struct{ SHA256 string } }
	if err := s.public.must(ctx, http.MethodGet, own, nil, &seen); err != nil {
		return err
	}
	read := map[string]string{"sha256": seen.File.SHA256}
	if err := s.public.must(ctx, http.MethodPost, own+"sign/", read, &code); err != nil || did == samples.CodeSent {
		return err
	}
	if err := s.platform.settle(ctx, tenant.ID(s.tenant)); err != nil {
		return err
	}
	digits, err := awaitCode(ctx, s.platform.Outbox, of.Signer.Phone, asked)
	if err != nil {
		return err
	}
	return s.public.must(ctx, http.MethodPost, own+"sign/confirm/", map[string]string{"confirm_id": code.ID, "code": digits}, nil)
}

// byHand records that a client has signed on paper. The scan is the document itself.
func (s signing) byHand(ctx context.Context, d paper, by sign) error {
	content, err := s.file(ctx, d.Files[0].File)
	if err != nil {
		return err
	}
	var scan struct {
		File, URL, Method string
		Headers           map[string]string
	}
	if err := s.must(ctx, http.MethodPost, "/v2/documents/uploads/", map[string]any{
		"name": "Скан.pdf", "content_type": "application/pdf", "size": len(content),
	}, &scan); err != nil {
		return err
	}
	if _, err := transfer(ctx, scan.Method, scan.URL, scan.Headers, content); err != nil {
		return err
	}
	path := fmt.Sprintf("/v2/documents/%d/manual_sign/", d.ID)
	return s.must(ctx, http.MethodPost, path, map[string]any{"client": by.Signer.Client, "file": scan.File}, nil)
}

// withKey signs with the first key of the certification centre that will do. Without one nobody signs: a centre of an
// earlier start has fewer.
func (s signing) withKey(ctx context.Context, d paper, path string, by *client, is func(nca.Person) bool) error {
	people := s.platform.certification.People()
	i := slices.IndexFunc(people, func(h *nca.Holder) bool { return is(h.Person) })
	if i < 0 {
		return nil
	}
	content, err := s.file(ctx, d.Files[0].File)
	if err != nil {
		return err
	}
	cms, err := people[i].Sign(content, time.Now())
	if err != nil {
		return err
	}
	return by.must(ctx, http.MethodPost, path, map[string]string{"cms": base64.StdEncoding.EncodeToString(cms)}, nil)
}

// file reads a file of a document.
func (c *client) file(ctx context.Context, address string) ([]byte, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{"Authorization": "Bearer " + c.token, "X-Tenant-Id": fmt.Sprint(c.tenant), "Accept": "application/json"}
	content, err := transfer(ctx, http.MethodGet, c.base+at.Path, headers, nil)
	if err != nil {
		return nil, err
	}
	var link struct{ URL string }
	if err := json.Unmarshal(content, &link); err != nil {
		return nil, err
	}
	return transfer(ctx, http.MethodGet, link.URL, nil, nil)
}

// transfer sends a request that is no JSON, or whose answer is none.
func transfer(ctx context.Context, method, address string, headers map[string]string, content []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %d", method, address, answer.StatusCode)
	}
	return io.ReadAll(answer.Body)
}
