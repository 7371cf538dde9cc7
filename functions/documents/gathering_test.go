package documents

import (
	"errors"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestTriesStoreOnce: a change that is decided anew stores no bytes again,
// unless they are made of other content by now. What is there already is not
// stored at all.
func TestTriesStoreOnce(t *testing.T) {
	api := webtest.Setup{Change: presstest.Pressing(t)}.New(t, New)
	c := api.As(webtest.Owner(6))
	c.Post("/v2/documents/", `{"content":"<p>a</p>"}`).Status(201)
	scope := record.Scope{Table: table.Of(api.Env.Table, 6), Now: api.Clock.Now}
	g := gathering{service: newService(api.Env), request: &web.Request{Table: scope.Table}}
	again := func(sum []byte) (stored document.Object) {
		t.Helper()
		enough := errors.New("enough")
		err := scope.Do(t.Context(), nil, func(w *record.Work) error {
			d, err := document.Kind().Read(t.Context(), w, 1)
			if err != nil {
				return err
			}
			if sum != nil {
				d.Files[0].SHA256 = sum // of what an older sanitiser made
			}
			p := plan{next: *d, again: true}
			if err := g.look(t.Context(), w, &p); err != nil {
				return err
			}
			if err := g.store(t.Context(), w, &p); err != nil {
				return err
			}
			stored = p.next.Files[0].Object
			return enough
		})
		if !errors.Is(err, enough) {
			t.Fatal(err)
		}
		return stored
	}
	d, err := document.Kind().Get(t.Context(), scope, 1)
	if err != nil {
		t.Fatal(err)
	}
	if same := again(nil); same != d.Files[0].Object || g.made != nil {
		t.Errorf("the same bytes are stored as %v beside %v", same, d.Files[0].Object)
	}
	older := make([]byte, 32)
	first := again(older)
	if second := again(older); second != first || first == d.Files[0].Object {
		t.Errorf("stored %v and %v", first, second)
	}
	c.Patch("/v2/documents/1/", `{"content":"<p>b</p>"}`).Status(200)
	other := again(older)
	if bytes, err := g.service.files.Get(t.Context(), 6, other.ID, other.Version, 1000); err != nil || presstest.PageOf(t, string(bytes)).HTML != "<p>b</p>" ||
		other == first {
		t.Errorf("made of what was there before: %q, %v", bytes, err)
	}
}
