// Package normalise writes a PDF that somebody uploaded anew, so that it can be signed: the same pages, in the plainest form that
// PDF has. It has one table of objects, no object streams, one level of pages, each with its own size, crop and
// rotation, and nothing that can't be seen.
//
// It refuses what is no PDF, what is encrypted or signed already, and what does more than to show pages: scripts, forms, other files
// in it, films, actions. What a reader does when it opens the file (where to begin), claims to follow a standard,
// what no page uses, and links to anything but the web, mail and telephones are left out.
//
// A file is read from its beginning to its end, by its objects, not by its tables of places, and only what was read, checked and
// reached from the pages is written. So nothing hides in a part that this code doesn't see and a reader does. Memory and
// time are bounded by the size of the file: streams are copied as they are, and those that hold objects are unpacked up
// to 64 MB. The same file becomes the same bytes.
//
// What never goes in here: HTML, the bucket, the seal.
package normalise

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// PDF writes a PDF anew. Its error is a *job.Problem where the file is to blame, and the context's if it took too long.
func PDF(ctx context.Context, data []byte) (out []byte, pages int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			out, pages, err = nil, 0, fmt.Errorf("normalise: panic: %v", cause)
		}
	}()
	if len(data) > job.MostUpload {
		return nil, 0, job.Refuse(job.TooLarge, say.PDFTooLarge)
	}
	f, err := read(ctx, data)
	if err != nil {
		return nil, 0, err
	}
	root := f.catalog()
	if root == nil {
		return nil, 0, job.Refuse(job.NotPDF, say.PDFNoPages)
	}
	kept, err := f.keep(root)
	if err != nil {
		return nil, 0, err
	}
	t := tree{f: f, seen: map[int]bool{}}
	for number := range f.objects {
		t.next = max(t.next, number+1)
	}
	if err := t.read(root.get("Pages"), inherited{}, 0); err != nil {
		return nil, 0, err
	}
	if len(t.pages) == 0 {
		return nil, 0, job.Refuse(job.NotPDF, say.PDFNoPages)
	}
	kids := make(array, len(t.pages))
	for i, page := range t.pages {
		kids[i] = page
	}
	f.objects[int(catalogRef)] = &object{value: kept}
	f.objects[int(pagesRef)] = &object{value: dict{
		{"Type", name("Pages")}, {"Count", token(fmt.Sprint(len(kids)))}, {"Kids", kids},
	}}
	w := writer{f: f, numbers: map[ref]int{}}
	if out, err = w.all(); err != nil {
		return nil, 0, err
	}
	return out, len(kids), nil
}
