package world

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/deliver"
	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/metrics/row"
	"github.com/tenantry/tenantry/functions/tenants/export"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/issuer"
	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/worker"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/remote/public"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/tenant"
)

const (
	uploadText = "%PDF-1.4\n% an upload of the known world\n"
	uploadType = "application/pdf"

	// blank is a PDF of one empty page. It is what signers of the story sign, because what is written anew of the same bytes has
	// always the same hash: codes are bound to it.
	blank = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n" +
		"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>\nendobj\nxref\n0 4\n0000000000 65535 f \n" +
		"0000000009 00000 n \n0000000054 00000 n \n0000000105 00000 n \ntrailer\n<</Size 4/Root 1 0 R>>\nstartxref\n184\n%%EOF\n"
)

//go:embed *.yaml
var chapters embed.FS

// story is the making of a world.
type story struct {
	*caller
	w      *World
	values steps.Values
}

// tell makes everything that is in the world, in this order, one after the other. A new chapter is the last one: a chapter before others
// changes their uuids, and so the events that name these.
func (w *World) tell(ctx context.Context) (steps.Values, error) {
	s := &story{caller: w.caller(), w: w, values: steps.Values{
		"password": "correct horse battery staple", "verifier": verifier, "blank": blank,
	}}
	if w.engines.Identities != nil {
		s.values["identities"] = true
	}
	runner := steps.Runner{Values: s.values, Send: s.do}
	for _, chapter := range []string{
		"people", "companies", "documents", "crm", "sign-ins", "messages", "services", "sales", "inventory", "finance", "orders", "feeds",
		"sms", "penalties", "metrics", "charges", "identities", "templates", "signs", "withdrawn", "sprayer", "programs", "webhooks",
		"prices", "closed",
	} {
		text, err := chapters.ReadFile(chapter + ".yaml")
		if err != nil {
			return nil, err
		}
		list, err := steps.Parse(text)
		if err == nil {
			err = runner.Run(ctx, list)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", chapter, err)
		}
	}
	return s.values, s.number(ctx)
}

// number gives all events that have none yet their numbers.
func (s *story) number(ctx context.Context) error {
	return outbox.EachCompanyWithEvents(ctx, crosstenant.Open(s.w.env.Table), time.Now(), func(k table.Key) error {
		_, err := s.worker.Deliver(ctx, k)
		return err
	})
}

// inform tells the receivers of webhooks what has happened so far.
func (s *story) inform(ctx context.Context) error {
	if err := s.number(ctx); err != nil {
		return err
	}
	env := s.w.env
	groups.Link(&env)
	of := worker.New("deliver", env, deliver.WorkOver(env, receiver{}))
	return outbox.EachDue(ctx, crosstenant.Open(env.Table), time.Now(), func(k table.Key) error {
		if outbox.LaneOf(k.SK) != outbox.Hooks {
			return nil
		}
		_, err := of.Deliver(ctx, k) // which is not over: it looks at the log again
		return err
	})
}

// receiver is where the webhooks of the story lead: it takes everything.
type receiver struct{}

func (receiver) Post(context.Context, string, http.Header, []byte) (public.Answer, error) {
	return public.Answer{Status: http.StatusOK, Body: "taken", Took: 40 * time.Millisecond}, nil
}

// do sends a request to the functions, or makes what no operation makes.
func (s *story) do(ctx context.Context, r steps.Request) (*steps.Answer, error) {
	var of particulars
	if strings.ToLower(r.Method) == r.Method && len(r.Body) > 0 && r.Method != "upload" {
		if err := json.Unmarshal(r.Body, &of); err != nil {
			return nil, err
		}
	}
	var token string
	if r.As != "" {
		token = fmt.Sprint(s.values[r.As+".access"])
	}
	switch r.Method {
	case "upload":
		return s.upload(ctx, token, r.Path, string(r.Body))
	case "code":
		return made("code")(s.deliver(ctx, r.Path))
	case "token":
		return made("token")(s.token(ctx, r.Path, of))
	case "age":
		return made("aged")("", s.age(ctx, of))
	case "leave":
		return made("left")("", s.leave(ctx))
	case "rebuild":
		return made("rebuilt")("", s.rebuild(ctx, of.Company))
	case "export":
		return made("exported")("", s.export(ctx, of.Company))
	case "return":
		return s.back(ctx, token, of)
	case "read":
		return made("code")(s.code(ctx, of.Sign))
	case "tell":
		return made("told")("", s.inform(ctx))
	case "spray":
		return made("sprayed")("", s.spray(ctx))
	}
	caller := s.caller
	if r.At != "" {
		then, err := time.Parse(time.RFC3339, r.At)
		if err != nil {
			return nil, err
		}
		caller = s.w.at(then)
	}
	return caller.send(ctx, token, r)
}

// particulars are what the body of a step says that is no request.
type particulars struct {
	User          int64
	Refresh, Kind string
	Company       tenant.ID
	Name, Email   string
	Sign          uuid.UUID
}

// made is the answer with one text under a name.
func made(name string) func(string, error) (*steps.Answer, error) {
	return func(text string, err error) (*steps.Answer, error) {
		if err != nil {
			return nil, err
		}
		return steps.JSON(map[string]string{name: text})
	}
}

// upload sends a file to the bucket, as a client would.
func (s *story) upload(ctx context.Context, token, name, text string) (*steps.Answer, error) {
	if text == "" {
		text = uploadText
	}
	mediaType := uploadType
	if strings.HasSuffix(name, ".png") {
		mediaType = "image/png"
	}
	a, err := s.send(ctx, token, steps.Request{
		Method: http.MethodPost, Path: "/v2/documents/uploads/",
		Body: fmt.Appendf(nil, `{"name":%q,"content_type":%q,"size":%d}`, name, mediaType, len(text)),
	})
	if err != nil || a.Status != http.StatusCreated {
		return a, err
	}
	var presigned struct {
		URL, Method string
		Headers     map[string]string
	}
	if err := json.Unmarshal(a.Body, &presigned); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, presigned.Method, presigned.URL, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	for name, value := range presigned.Headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	a.Status = answer.StatusCode
	return a, nil
}

// age lets the first refresh token of a sign-in have been used long ago.
func (s *story) age(ctx context.Context, of particulars) error {
	longAgo := time.Now().Add(-time.Hour)
	return crosstenant.Open(s.w.env.Table).Update(crosstenant.Family(of.User, family(of.Refresh))).
		Set("r", longAgo.UnixMilli()).Run(ctx)
}

// leave leaves four messages in the outbox under ids that are known: one that is carried out, an urgent one that nobody can carry out any
// more, one that is not due for a year, and a bulk one that means nothing.
func (s *story) leave(ctx context.Context) error {
	all, now := crosstenant.Open(s.w.env.Table), time.Now()
	code := map[string]string{"purpose": "register", "address": "pia@example.com", "challenge": "replaced"}
	acme := table.Of(s.w.env.Table, 1)
	for i, m := range []struct {
		key  func(string) table.Key
		kind outbox.Kind
		body any
		due  time.Time
	}{
		{acme.Message, "listing.sweep", map[string]any{"kind": kinds.Document, "bucket": 0}, now},
		{crosstenant.Message, "identity.code", code, now},
		{acme.Message, "listing.sweep", map[string]any{"kind": kinds.Document, "bucket": 0}, now.AddDate(1, 0, 0)},
		{acme.Message, "clients.import", map[string]any{}, now},
	} {
		message, err := outbox.New(m.key, m.kind, m.body, now.Add(-outbox.Normal.Net()), m.due) // so long ago that the sweep finds it
		if err != nil {
			return err
		}
		id := "0000000000000000000000000" + strconv.Itoa(i+1)
		message.ID, message.SK = id, strings.Replace(message.SK, message.ID, id, 1)
		if err := all.Put(message).Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rebuild carries out the message to work out a company's metrics.
func (s *story) rebuild(ctx context.Context, company tenant.ID) error {
	key := outbox.NewKeyed(table.Of(s.w.env.Table, company).Message, row.Rebuilding, row.Everything, time.Now()).Key()
	done, err := s.worker.Deliver(ctx, key)
	if err == nil && !done {
		err = fmt.Errorf("the metrics of %d are not worked out", company)
	}
	return err
}

// export carries out the message that makes a company's export.
func (s *story) export(ctx context.Context, company tenant.ID) error {
	key := outbox.NewKeyed(table.Of(s.w.env.Table, company).Message, export.Kind, export.Whole, time.Now()).Key()
	done, err := s.worker.Deliver(ctx, key)
	if err == nil && !done {
		err = fmt.Errorf("company %d is not exported", company)
	}
	return err
}

// verifier is the secret of the client that people of the world sign in with (PKCE, RFC 7636). The client sends challenge, its hash.
const (
	verifier  = "a-verifier-of-the-world-that-is-no-secret-at-all"
	challenge = "0l5D7fIOFmH3x0LpymTD2BMu7ARkl63YljKhiKxrq7U"
)

// back sends somebody to the issuer of identities, to link or, where nobody is signed in, to sign in, and answers the code and the state
// with which they come back.
func (s *story) back(ctx context.Context, token string, of particulars) (*steps.Answer, error) {
	begin, where := steps.Request{Method: http.MethodGet, Path: "/v1/auth/google/auth-url/"}, "header Location"
	if token == "" {
		begin.Method, begin.Path, where = http.MethodPost, "/v1/auth/google/login/init/", "url"
		begin.Body = []byte(`{"code_challenge":"` + challenge + `"}`)
	}
	a, err := s.send(ctx, token, begin)
	if err != nil || a.Value(where) == nil {
		return a, err
	}
	s.w.engines.Identities.Codes(func() string { return "the code of " + of.Name })
	code, state, err := issuer.Approve(ctx, fmt.Sprint(a.Value(where)), of.Email)
	if err != nil {
		return nil, err
	}
	return steps.JSON(map[string]string{"code": code, "state": state})
}

// code reads the code that a signer was sent: nobody carries the message with it out.
func (s *story) code(ctx context.Context, id uuid.UUID) (string, error) {
	env := s.w.env
	desk := document.NewDesk(env.Table, env.Files, env.Keys, env.NewUUID)
	p, err := desk.Public.Reach(ctx, id)
	if err != nil {
		return "", err
	}
	d, err := desk.Kind.Get(ctx, record.Scope{Table: table.Of(env.Table, p.Table.ID()), Now: env.Now}, p.Document)
	if err != nil {
		return "", err
	}
	sign, err := d.SignByUUID(id)
	if err != nil {
		return "", err
	}
	return desk.CodeText(ctx, d, sign)
}

// spray lets somebody at the address 203.0.113.66 have failed to sign in to as many accounts as one may within an hour, and within the next
// one, which may begin before the world ends.
func (s *story) spray(ctx context.Context) error {
	all, caller := crosstenant.Open(s.w.env.Table), throttle.Subject(throttle.Caller("203.0.113.66"))
	var accounts []string
	for i := range 20 {
		accounts = append(accounts, throttle.Subject(strconv.Itoa(i)))
	}
	for i := range 2 {
		start := time.Now().Truncate(time.Hour).Add(time.Duration(i) * time.Hour)
		if err := all.Update(crosstenant.Throttle("login", caller, strconv.FormatInt(start.Unix(), 10))).
			AddStringsToSet("s", accounts...).Set("ttl", start.Add(2*time.Hour).Unix()).Run(ctx); err != nil {
			return err
		}
	}
	return nil
}
