package conformance_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/events/known"
	"github.com/tenantry/tenantry/functions/show"
	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// told are the kinds that events are about.
func told() (list []kinds.Kind) {
	for _, k := range kinds.All() {
		if slices.ContainsFunc(known.Types(), func(e known.EventType) bool { return e.Object == k.Name }) {
			list = append(list, k)
		}
	}
	return list
}

// showsTold tells whether an operation reads one record of a kind that events are about.
func showsTold(k kinds.Kind) func(op operation) bool {
	return func(op operation) bool { return readsOne(op) && inTenant(op) && op.collection() == k.Path }
}

// Of each kind that events are about, one operation reads a record. The company has none that shows the same to all its owners.
func TestWhatEventsAreAboutIsRead(t *testing.T) {
	for _, k := range told() {
		if read := slices.ContainsFunc(operations(), showsTold(k)); read != (k.Code != kinds.Company) {
			t.Errorf("%s is read at a path of its own: %t", k.Many, read)
		}
	}
}

// What the function show says of a record is what GET of its path answers an owner, byte for byte. It writes nothing, and says nothing
// of another company's record, nor of one that is deleted.
func TestShownAsToAnOwner(t *testing.T) {
	of := map[string]kinds.Kind{}
	for _, k := range told() {
		of[k.Path] = k
	}
	fits := func(op operation) bool { return showsTold(of[op.collection()])(op) }
	each(t, fits, func(t *testing.T, api *webtest.API, op operation) {
		r := op.request(t, api)
		number := strings.TrimSuffix(strings.TrimPrefix(r.path, op.collection()), "/")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		object, ctx, f := of[op.collection()].Object(id), patience.AtLeast(t.Context(), time.Minute), show.New(api.Env)
		read := api.As(webtest.Owner(1)).Get(r.path).Status(200)
		written := api.Written()
		mine, err := job.Ask(ctx, f, 1, webtest.BaseURL, []string{object, "client:999999", object})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range []job.Shown{mine[0], mine[2]} {
			if string(one.Record) != string(read.Body()) || one.TooLarge {
				t.Errorf("it shows %s\nand GET answers %s", one.Record, read.Body())
			}
			if one.Revision == nil || strconv.Quote(strconv.FormatInt(*one.Revision, 10)) != read.Get("ETag") {
				t.Errorf("revision %v of %s", one.Revision, read.Get("ETag"))
			}
		}
		theirs, err := job.Ask(ctx, f, 2, webtest.BaseURL, []string{object})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range []job.Shown{mine[1], theirs[0]} {
			if one.Record != nil || one.Revision != nil || one.TooLarge {
				t.Errorf("of what isn't there, or isn't theirs: %+v", one)
			}
		}
		if n := api.Written() - written; n != 0 {
			t.Errorf("it wrote %d items", n)
		}
		deletes := op.deletes()
		if deletes == nil {
			return
		}
		api.As(webtest.Owner(1)).Delete(deletes.at(number)).Status(204)
		if gone, err := job.Ask(ctx, f, 1, webtest.BaseURL, []string{object}); err != nil || gone[0].Record != nil || gone[0].Revision != nil {
			t.Errorf("deleted, it shows %+v, %v", gone, err)
		}
	})
}
