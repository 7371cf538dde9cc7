package platform

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/infra/local/samples"
	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/tenant"
)

// filler gives the demo company its records and has its papers signed over HTTP, as its staff, its clients and their NCALayer would.
type filler struct {
	*client
	platform *Platform
}

// fill makes what the demo company has, in the lists that have nothing.
func (p *Platform) fill(ctx context.Context, c *client) error {
	list, given, err := samples.Company(time.Now())
	if err != nil {
		return err
	}
	runner := steps.Runner{Values: given, Send: filler{c, p}.do}
	return runner.Run(ctx, list)
}

// do sends a request, or does what no single one does.
func (f filler) do(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	var when time.Time
	if r.At != "" {
		var err error
		if when, err = time.Parse(time.RFC3339, r.At); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(r.Path, "/v2/documents/") { // they have files, whose store may be compiled for longer than a request may take
		if err := f.platform.Storage.awaitFiles(ctx); err != nil {
			return nil, err
		}
	}
	c := f.at(when)
	if r.As == "signer" {
		c = &client{base: f.base, out: f.out}
	}
	switch r.Method {
	case "fill":
		_, err := f.missing(ctx, r)
		return &steps.Answer{Status: http.StatusOK}, err
	case "list":
		return f.list(ctx, r)
	case "code":
		if err := f.platform.settle(ctx, tenant.ID(f.tenant)); err != nil {
			return nil, err
		}
		code, err := awaitCode(ctx, f.platform.Outbox, r.Path, time.Time{})
		if err != nil {
			return nil, err
		}
		return steps.JSON(map[string]string{"code": code})
	case "scan":
		return f.scan(ctx, r.Path)
	case "seal":
		return f.seal(ctx, r)
	}
	return c.ask(ctx, r.Method, r.Path, r.Body)
}

// missing makes the records of a list that has none, and returns the id of the first one that was there before, if there was one.
func (f filler) missing(ctx context.Context, r steps.Request) (first int64, err error) {
	path, at, another := strings.Cut(r.Path, " ")
	if !another {
		at = path
	}
	there, _, err := f.page(ctx, query(path, "pageSize=1"))
	switch {
	case err != nil:
		return 0, err
	case len(there) > 0:
		return there[0].ID, nil
	case len(r.Body) == 0:
		return 0, nil
	}
	var records []json.RawMessage
	if err := json.Unmarshal(r.Body, &records); err != nil {
		return 0, err
	}
	for _, record := range records {
		if err := f.must(ctx, http.MethodPost, at, record, nil); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// list fills a list, and answers what is in it.
func (f filler) list(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	first, err := f.missing(ctx, r)
	if err != nil {
		return nil, err
	}
	names := map[string]int64{}
	for number, more := 1, true; more; number++ {
		var page []listed
		if page, more, err = f.page(ctx, query(r.Path, fmt.Sprint("page=", number))); err != nil {
			return nil, err
		}
		for _, record := range page {
			names[record.Name], names[record.UniqueID] = record.ID, record.ID
		}
	}
	return steps.JSON(struct {
		First int64            `json:"first,omitempty"`
		Names map[string]int64 `json:"names"`
	}{first, names})
}

func query(path, parameter string) string {
	if strings.Contains(path, "?") {
		return path + "&" + parameter
	}
	return path + "?" + parameter
}

// listed is a record of a list.
type listed struct {
	ID       int64
	Name     string
	UniqueID string `json:"unique_id"`
}

// page reads a page of a list, or a list that has no pages, and tells whether there are more.
func (f filler) page(ctx context.Context, path string) (records []listed, more bool, err error) {
	var content json.RawMessage
	if err := f.must(ctx, http.MethodGet, path, nil, &content); err != nil {
		return nil, false, err
	}
	if strings.HasPrefix(string(content), "[") {
		err = json.Unmarshal(content, &records)
		return records, false, err
	}
	var page struct {
		Results []listed
		Next    *string
	}
	err = json.Unmarshal(content, &page)
	return page.Results, page.Next != nil, err
}

// scan uploads a file of a document as the scan of what was signed on paper.
func (f filler) scan(ctx context.Context, address string) (*steps.Answer, error) {
	content, err := f.file(ctx, address)
	if err != nil {
		return nil, err
	}
	a, err := f.ask(ctx, http.MethodPost, "/v2/documents/uploads/",
		fmt.Appendf(nil, `{"name":"Скан.pdf","content_type":"application/pdf","size":%d}`, len(content)))
	if err != nil || a.Status != http.StatusCreated {
		return a, err
	}
	var scan struct {
		URL, Method string
		Headers     map[string]string
	}
	if err := json.Unmarshal(a.Body, &scan); err != nil {
		return nil, err
	}
	_, err = transfer(ctx, scan.Method, scan.URL, scan.Headers, content)
	return a, err
}

// seal signs a file of a document with the first key of the certification centre that will do, if there is one: that of a person, or of
// the head of a company.
func (f filler) seal(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	var of struct{ IIN, BIN string }
	if err := json.Unmarshal(r.Body, &of); err != nil {
		return nil, err
	}
	people := f.platform.certification.People()
	i := slices.IndexFunc(people, func(h *nca.Holder) bool {
		if of.IIN != "" {
			return h.IIN == of.IIN && h.BIN == ""
		}
		return h.BIN == of.BIN && h.Right == nca.Head
	})
	if i < 0 {
		return steps.JSON(struct{}{})
	}
	content, err := f.file(ctx, r.Path)
	if err != nil {
		return nil, err
	}
	cms, err := people[i].Sign(content, time.Now())
	if err != nil {
		return nil, err
	}
	return steps.JSON(map[string]string{"cms": base64.StdEncoding.EncodeToString(cms)})
}

// file reads a file of a document.
func (c *client) file(ctx context.Context, address string) ([]byte, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	var link struct{ URL string }
	if err := c.must(ctx, http.MethodGet, at.Path, nil, &link); err != nil {
		return nil, err
	}
	return transfer(ctx, http.MethodGet, link.URL, nil, nil)
}

// transfer sends a request whose body or answer is not JSON.
func transfer(ctx context.Context, method, address string, headers map[string]string, content []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(string(content)))
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
