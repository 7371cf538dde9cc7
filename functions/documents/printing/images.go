package printing

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/tenantry/tenantry/functions/clients/client"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/documents/values"
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// images puts the company's own images into clean HTML, in place of their addresses in this API. Nothing
// else is fetched: an image at any other address is left out, and so is one that is gone.
type images struct {
	work  *record.Work
	files *files.Store
	base  string            // of this API's addresses
	found map[string]string // data URIs by address; empty: there is none
	bytes int
}

// mostImages is how many different images of the company a document shows.
const mostImages = 50

func (p *Press) images(w *record.Work, base string) *images {
	return &images{work: w, files: p.files, base: base, found: map[string]string{}}
}

// inline returns the HTML with its images inside. Its error is a Problem if they are too many or too large.
func (g *images) inline(ctx context.Context, clean string) (string, error) {
	if !strings.Contains(clean, "<img") {
		return clean, nil
	}
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(clean))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return b.String(), nil // the end: it reads from memory
		}
		raw := bytes.Clone(tokens.Raw())
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			b.Write(raw)
			continue
		}
		token := tokens.Token()
		src := source(&token)
		if token.Data != "img" || src != nil && strings.HasPrefix(src.Val, "data:") {
			b.Write(raw)
			continue
		}
		if src == nil {
			continue // it shows nothing
		}
		data, err := g.at(ctx, src.Val)
		if err != nil {
			return "", err
		}
		if data != "" {
			if b.Len()+len(data) > job.MostPage { // the same one may be there again and again
				return "", Problem{say.PrintImagesTooLarge(job.MostImages)}
			}
			src.Val = data
			b.WriteString(token.String())
		}
	}
}

// source is the address of an image.
func source(token *html.Token) *html.Attribute {
	for i := range token.Attr {
		if token.Attr[i].Key == "src" {
			return &token.Attr[i]
		}
	}
	return nil
}

// at returns the image at an address as a data URI; empty if it is none of the company's.
func (g *images) at(ctx context.Context, address string) (string, error) {
	if data, ok := g.found[address]; ok {
		return data, nil
	}
	path, ok := strings.CutPrefix(address, g.base+"/")
	if !ok {
		return "", nil
	}
	if len(g.found) >= mostImages {
		return "", Problem{say.PrintTooManyImages(mostImages)}
	}
	o, err := g.object(ctx, path)
	if errors.Is(err, fault.ErrNotFound) || err == nil && o == nil {
		g.found[address] = ""
		return "", nil
	}
	if err != nil {
		return "", err
	}
	data, err := g.files.Get(ctx, g.work.Scope().Table.ID(), o.ID, o.Version, job.MostImages)
	if g.bytes += len(data); errors.Is(err, files.ErrTooLarge) || g.bytes > job.MostImages {
		return "", Problem{say.PrintImagesTooLarge(job.MostImages)}
	}
	if err != nil {
		return "", err
	}
	g.found[address] = "data:" + imageType(data) + ";base64," + base64.StdEncoding.EncodeToString(data)
	return g.found[address], nil
}

// imageType is the media type of an image by its first bytes. What is none that documents show stays unknown, and is
// refused when the document is printed.
func imageType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	return "image/unknown"
}

// object is the stored image that a path of this API leads to, among the records of the company; nil if there is none.
func (g *images) object(ctx context.Context, path string) (*document.Object, error) {
	var ids []int64
	var names []string
	for _, step := range strings.Split(strings.TrimSuffix(path, "/"), "/") {
		if id, err := strconv.ParseInt(step, 10, 64); err == nil {
			if id <= 0 || id > document.FileID(table.MaxID, 0) || len(ids) == 0 && id > table.MaxID {
				return nil, nil // no record has such an image
			}
			ids, step = append(ids, id), "*"
		}
		names = append(names, step)
	}
	switch strings.Join(names, "/") {
	case "v1/tenant/*/logo":
		c, err := company.Get(ctx, g.work)
		if err != nil || c.ID != ids[0] {
			return nil, err
		}
		return uploaded(c.Logo), nil
	case "v1/crm/clients/*/avatar":
		c, err := values.Read[client.Client](ctx, g.work, kinds.Client, ids[0])
		if c == nil || err != nil {
			return nil, err
		}
		return uploaded(c.Avatar), nil
	case "v1/crm/inventories/*/image":
		it, err := values.Read[item.Item](ctx, g.work, kinds.Inventory, ids[0])
		if it == nil || err != nil {
			return nil, err
		}
		return uploaded(it.Image), nil
	case "v2/documents/*/documents/*":
		d, err := document.Kind().Read(ctx, g.work, ids[0])
		if err != nil {
			return nil, err
		}
		if f := d.File(ids[1]); f != nil && strings.HasPrefix(f.ContentType, "image/") {
			return &f.Object, nil
		}
	}
	return nil, nil // no record has such an image
}

func uploaded(i *uploads.Image) *document.Object {
	if !i.IsUpload() {
		return nil
	}
	return &document.Object{ID: i.ID, Version: i.Version}
}
