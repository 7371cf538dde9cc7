// Package show is the function that tells what records look like now, as GET of their paths answers an owner. Who delivers webhooks
// calls it, because the role of that function reads nothing of a company but its events and endpoints. This one reads, and writes nothing.
//
// What never goes in here: what a record looks like. The face of its group says that, and is asked.
package show

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/functions/show/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// face is a group that answers GET of records, of the kinds that are named.
type face struct {
	group app.New
	kinds []kinds.Code
}

// servers are the servers of the kinds. Each is made when the first of its records is asked for.
type servers map[kinds.Code]func() *web.Server

func open(env app.Env) servers {
	all := servers{}
	for _, f := range faces() {
		server := sync.OnceValue(func() *web.Server {
			g := f.group(env)
			g.Name = "show" // as the log names the function
			return env.Server(g)
		})
		for _, kind := range f.kinds {
			all[kind] = server
		}
	}
	return all
}

// New returns the function. It takes a job.Request and answers with a job.Shown for each object, or a job.PageRequest.
func New(env app.Env) invoke.Function {
	return (&function{servers: open(env), conn: env.Table}).answer
}

// function is the whole of it.
type function struct {
	servers
	conn *table.Conn // for the ids of the records of a page
}

// answer answers a job.PageRequest too.
func (f *function) answer(ctx context.Context, payload []byte) ([]byte, error) {
	var r job.PageRequest
	if err := json.Unmarshal(payload, &r); err != nil || !r.Page {
		return f.servers.answer(ctx, payload)
	}
	_, host, ok := strings.Cut(r.Base, "://")
	if !ok || r.Company <= 0 {
		return nil, fmt.Errorf("show: no request: %q", payload)
	}
	p, err := f.page(ctx, r, host)
	if err != nil {
		return nil, err
	}
	return encode.JSON(p)
}

func (all servers) answer(ctx context.Context, payload []byte) ([]byte, error) {
	var r job.Request
	err := json.Unmarshal(payload, &r)
	_, host, ok := strings.Cut(r.Base, "://")
	if err != nil || !ok || r.Company <= 0 || len(r.Objects) > job.Most {
		return nil, fmt.Errorf("show: no request: %q", payload)
	}
	shown, left := make([]job.Shown, len(r.Objects)), job.MaxAnswer
	for i, object := range r.Objects {
		if shown[i], err = all.show(ctx, r.Company, host, object, min(left, job.MaxRecord)); err != nil {
			return nil, err
		}
		left -= len(shown[i].Record)
	}
	return encode.JSON(shown)
}

// show returns a record if it has no more than some bytes.
func (all servers) show(ctx context.Context, company tenant.ID, host, object string, most int) (shown job.Shown, err error) {
	kind, id, ok := kinds.ParseObject(object)
	server := all[kind.Code]
	if !ok || server == nil {
		return shown, nil
	}
	answer, err := server().Show(ctx, company, host, kind.One(id))
	switch {
	case err != nil:
		return shown, err
	case answer.StatusCode == http.StatusNotFound:
		return shown, nil
	case answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusServiceUnavailable:
		return job.Shown{Fails: true}, nil // the server has logged why; others are shown
	case answer.StatusCode != http.StatusOK:
		return shown, fmt.Errorf("show: %s of company %d: %d %s", object, company, answer.StatusCode, answer.Body)
	}
	tag := answer.Headers["Etag"]
	revision, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	if err != nil {
		return shown, fmt.Errorf("show: the ETag of %s is %q: %w", object, tag, err)
	}
	if shown.Revision = &revision; len(answer.Body) > most {
		shown.TooLarge = true
	} else {
		shown.Record = json.RawMessage(answer.Body)
	}
	return shown, nil
}
