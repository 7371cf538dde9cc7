package world

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/access"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/throttle"
)

const (
	password   = "correct horse battery staple"
	uploadText = "%PDF-1.4\n% an upload of the known world\n"
	uploadType = "application/pdf"

	registration = "/v1/tenant/register/init/"
)

// epoch is when the world's tokens say that they were made.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// story is the making of a world.
type story struct {
	*caller
	w      *World
	values map[string]string
	users  map[string]int64
}

// tell makes everything that is in the world, in this order, one after the other. A new chapter is the last one: a chapter before others
// changes their uuids, and so the events that name these.
func (w *World) tell(ctx context.Context) (map[string]string, error) {
	s := &story{caller: w.caller(), w: w, values: map[string]string{"password": password}, users: map[string]int64{}}
	for _, chapter := range []func(context.Context) error{
		s.people, s.companies, s.documents, s.crm, s.signIns, s.messages, s.services, s.sales, s.inventory, s.finance, s.orders, s.feeds,
		s.sms, s.penalties, s.metrics, s.charges, s.identities, s.templates, s.signs, s.withdrawn, s.sprayer,
	} {
		if err := chapter(ctx); err != nil {
			return nil, err
		}
	}
	return s.values, nil
}

// people makes the users: ann owns a company, bob another one, and cara two. ray may look at ann's company. nina has
// no company, and a code for a new password. pia has a code and no account.
func (s *story) people(ctx context.Context) error {
	for _, name := range []string{"ann", "bob", "cara", "ray", "nina"} {
		address := name + "@example.com"
		code, err := s.code(ctx, registration, address)
		if err != nil {
			return err
		}
		if err := s.call(ctx, "", http.MethodPost, "/v1/tenant/register/confirm/", fmt.Sprintf(
			`{"email":%q,"password":%q,"otp":%q,"first_name":%q,"phone":"+77011234567"}`,
			address, password, code, strings.ToUpper(name[:1])+name[1:]), nil); err != nil {
			return err
		}
		s.users[name] = int64(len(s.users) + 1) // numbers are given in this order
		if err := s.signIn(ctx, name, name); err != nil {
			return err
		}
	}
	for _, c := range []struct{ name, path string }{{"pia", registration}, {"nina", "/v1/auth/reset/init/"}} {
		code, err := s.code(ctx, c.path, c.name+"@example.com")
		if err != nil {
			return err
		}
		s.values[c.name+".code"] = code
	}
	return nil
}

func (s *story) code(ctx context.Context, path, address string) (string, error) {
	if err := s.call(ctx, "", http.MethodPost, path, `{"email":"`+address+`"}`, nil); err != nil {
		return "", err
	}
	return s.deliver(ctx, address)
}

// signIn signs a person in. The token under the name is of that sign-in, but says that it was made at the epoch, so that
// it is the same in every world.
func (s *story) signIn(ctx context.Context, person, name string) error {
	var tokens struct{ Access, Refresh string }
	if err := s.call(ctx, "", http.MethodPost, "/v1/auth/login/",
		fmt.Sprintf(`{"username":"%s@example.com","password":%q}`, person, password), &tokens); err != nil {
		return err
	}
	s.values[name+".refresh"] = tokens.Refresh
	return s.token(ctx, name, person, s.family(name), s.w.keys, epoch)
}

// family is the sign-in that a refresh token belongs to.
func (s *story) family(name string) string {
	parts := strings.Split(s.values[name+".refresh"], ".")
	return parts[min(1, len(parts)-1)]
}

func (s *story) token(ctx context.Context, name, person, family string, k keys.Keys, at time.Time) error {
	id := uuid.NewSHA1(uuid.Nil, []byte(name))
	lifetime := century
	if at.Before(epoch) {
		lifetime = time.Hour
	}
	text, err := access.Token(ctx, k, s.users[person], family, id, at, lifetime)
	s.values[name+".access"] = text
	return err
}

// companies: 1 is ann's, 2 is bob's, 3 and 4 are cara's. ann's has ray, who accepted, and invites nina.
func (s *story) companies(ctx context.Context) error {
	for _, c := range []struct{ owner, name, label string }{
		{"ann", "Acme Rentals", "acme"}, {"bob", "Borealis", "borealis"}, {"cara", "Caravans", "caravans"}, {"cara", "Cargo", "cargo"},
	} {
		if err := s.call(ctx, s.values[c.owner+".access"], http.MethodPost, "/v1/tenant/", fmt.Sprintf(
			`{"name":%q,"domain":%q,"address":"1 Main Street","country":"KZ","currency":"KZT","timezone":"Asia/Almaty"}`,
			c.name, c.label), nil); err != nil {
			return err
		}
	}
	for _, step := range []struct{ as, path, body string }{
		{"ann", "/v1/crm/users/", `{"email":"ray@example.com","role":"read-only"}`},
		{"ray", "/v1/tenant/invitations/1/accept/", ""},
		{"ann", "/v1/crm/users/", `{"email":"nina@example.com","role":"employee"}`},
	} {
		if err := s.call(ctx, s.values[step.as+".access"], http.MethodPost, step.path, step.body, nil); err != nil {
			return err
		}
	}
	return nil
}

// documents: 1 to 5 are ann's, of which 4 is deleted; bob has one. An upload of ann's and a picture are stored, and nobody has taken them.
func (s *story) documents(ctx context.Context) error {
	ann := s.values["ann.access"]
	file, err := s.upload(ctx, ann, "Act.pdf")
	if err != nil {
		return err
	}
	for _, body := range []string{
		`{"name":"Price list"}`,
		`{"name":"Rental contract","content":"<h1>Contract</h1><p>One car, three days.</p>"}`,
		fmt.Sprintf(`{"name":"Acceptance act","source":1,"file":%q}`, file),
		`{"name":"A mistake"}`,
		`{"name":"Договор аренды","content":"<p>Договор</p>"}`,
	} {
		if err := s.call(ctx, ann, http.MethodPost, "/v2/documents/", body, nil); err != nil {
			return err
		}
	}
	if err := s.call(ctx, ann, http.MethodDelete, "/v2/documents/4/", "", nil); err != nil {
		return err
	}
	if err := s.call(ctx, s.values["bob.access"], http.MethodPost, "/v2/documents/", `{"name":"Bob's own"}`, nil); err != nil {
		return err
	}
	if s.values["upload.file"], err = s.upload(ctx, ann, "Scan.pdf"); err != nil {
		return err
	}
	s.values["picture.file"], err = s.upload(ctx, ann, "Picture.png")
	return err
}

// crm: ann has two rental points of three, of which the third came with an Idempotency-Key; a custom field of clients; one
// of each list; an individual and a legal entity, which has an avatar, as clients. bob has a rental point, and his company a logo.
func (s *story) crm(ctx context.Context) error {
	avatar, err := s.upload(ctx, s.values["ann.access"], "Sign.png")
	if err != nil {
		return err
	}
	logo, err := s.upload(ctx, s.values["bob.access"], "Logo.png")
	if err != nil {
		return err
	}
	for _, step := range []struct{ as, request, body string }{
		{"ann", "POST /v1/crm/rental_points/", `{"name":"City centre","address":"1 Main Street"}`},
		{"ann", "POST /v1/crm/rental_points/", `{"name":"A mistake","address":"Nowhere"}`},
		{"ann", "DELETE /v1/crm/rental_points/2/", ""},
		{"bob", "POST /v1/crm/rental_points/", `{"name":"Bob's own","address":"2 North Street"}`},
		{"bob", "PATCH /v1/tenant/2/", fmt.Sprintf(`{"logo":%q}`, logo)},
		{"ann", "POST /v1/crm/settings/custom_fields_list/", `{"key":"client","name":"passport","label":"Passport","type":"string"}`},
		{"ann", "POST /v1/crm/attraction_methods/", `{"name":"Word of mouth"}`},
		{"ann", "POST /v1/crm/agents/", `{"name":"Taxi park","phone":"+77012223344"}`},
		{"ann", "POST /v1/crm/discounts/", `{"name":"Regulars","percent":"5"}`},
		{"ann", "POST /v1/crm/categories/", `{"name":"Bikes","kind":"inventory"}`},
		{"ann", "POST /v1/crm/clients/", `{"name":"Ерлан Ахметов","phone":"8 (701) 123-45-67","individual":{"iin":"850515300016"}}`},
		{"ann", "POST /v1/crm/clients/", fmt.Sprintf(
			`{"name":"Степь Логистик","type":1,"legal_type":1,"legal":{"bin":"140340010302"},"avatar":%q}`, avatar,
		)},
	} {
		method, path, _ := strings.Cut(step.request, " ")
		if err := s.call(ctx, s.values[step.as+".access"], method, path, step.body, nil); err != nil {
			return err
		}
	}
	const airport = `{"name":"Airport","address":"1 Runway Road"}`
	return s.keyed("point-3").call(ctx, s.values["ann.access"], http.MethodPost, "/v1/crm/rental_points/", airport, nil)
}

// typeOf is the media type of a file of the story.
func typeOf(name string) string {
	if strings.HasSuffix(name, ".png") {
		return "image/png"
	}
	return uploadType
}

// upload sends a file to the bucket, as a client would.
func (s *story) upload(ctx context.Context, token, name string) (file string, err error) {
	return s.store(ctx, token, name, uploadText)
}

// store sends a text to the bucket as a file, as a client would.
func (s *story) store(ctx context.Context, token, name, text string) (file string, err error) {
	var presigned struct {
		File, URL, Method string
		Headers           map[string]string
	}
	if err := s.call(ctx, token, http.MethodPost, "/v2/documents/uploads/",
		fmt.Sprintf(`{"name":%q,"content_type":%q,"size":%d}`, name, typeOf(name), len(text)), &presigned); err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, presigned.Method, presigned.URL, strings.NewReader(text))
	if err != nil {
		return "", err
	}
	for name, value := range presigned.Headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("upload of %s: %s", name, answer.Status)
	}
	return presigned.File, nil
}

// signIns: ann has a cross-login token, and crossed is what a cross login of hers gave; gone is a sign-in that is over; stale
// one whose first refresh token was used, long ago; old, forged and lost are tokens that hold for nobody: too old, of another
// key, of a sign-in that never was.
func (s *story) signIns(ctx context.Context) error {
	var cross struct{ Token string }
	if err := s.call(ctx, s.values["ann.access"], http.MethodPost, "/v1/auth/cross_login/token/", "", &cross); err != nil {
		return err
	}
	s.values["cross.token"] = cross.Token
	for _, name := range []string{"gone", "stale"} {
		if err := s.signIn(ctx, "ann", name); err != nil {
			return err
		}
	}
	if err := s.call(ctx, "", http.MethodPost, "/v1/auth/logout/", `{"refresh":"`+s.values["gone.refresh"]+`"}`, nil); err != nil {
		return err
	}
	if err := s.call(ctx, "", http.MethodPost, "/v1/auth/refresh/", `{"refresh":"`+s.values["stale.refresh"]+`"}`, nil); err != nil {
		return err
	}
	longAgo := time.Now().Add(-time.Hour)
	if err := crosstenant.Open(s.w.env.Table).Update(crosstenant.Family(s.users["ann"], s.family("stale"))).
		Set("r", longAgo.UnixMilli()).Run(ctx); err != nil {
		return err
	}
	crossed, err := access.CrossToken(
		ctx, s.w.keys, s.users["ann"], s.family("ann"), uuid.NewSHA1(uuid.Nil, []byte("crossed")), epoch, century,
	)
	if err != nil {
		return err
	}
	s.values["crossed.access"] = crossed
	forger, err := s.w.keys.foreign()
	if err != nil {
		return err
	}
	if err := s.token(ctx, "old", "ann", s.family("ann"), s.w.keys, epoch.Add(-24*time.Hour)); err != nil {
		return err
	}
	if err := s.token(ctx, "forged", "ann", s.family("ann"), forger, epoch); err != nil {
		return err
	}
	return s.token(ctx, "lost", "ann", uuid.NewSHA1(uuid.Nil, []byte("lost")).String(), s.w.keys, epoch)
}

// messages leaves three messages in the outbox under ids that are known: one that is carried out, one that nobody can
// carry out any more, and one that is not due for a year.
func (s *story) messages(ctx context.Context) error {
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
	} {
		message, err := outbox.New(m.key, m.kind, m.body, now, m.due)
		if err != nil {
			return err
		}
		message.ID = "0000000000000000000000000" + strconv.Itoa(i+1)
		key := m.key(message.ID)
		message.PK, message.SK = key.PK, key.SK
		if err := all.Put(message).Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sprayer: somebody at the address 203.0.113.66 has failed to sign in to as many accounts as one may within an hour, and within the next
// one, which may begin before the world ends.
func (s *story) sprayer(ctx context.Context) error {
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

// feeds: ann's company has a feed token, and had another one, which she revoked.
func (s *story) feeds(ctx context.Context) error {
	const path = "/v1/crm/settings/feed_tokens/"
	for _, name := range []string{"feed", "feed.revoked"} {
		var made struct{ Token string }
		if err := s.call(ctx, s.values["ann.access"], http.MethodPost, path, `{"name":"Traffic police"}`, &made); err != nil {
			return err
		}
		s.values[name+".access"] = made.Token
	}
	return s.call(ctx, s.values["ann.access"], http.MethodDelete, path+"2/", "", nil)
}
