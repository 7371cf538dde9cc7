// Package outside tests that whatever costs the host of the platform money outside of it is bounded: each message that leaves the
// platform, and each service of others that is asked, is listed here with the rules that count it. What is new and not listed fails.
package outside

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/clerk"
	"github.com/tenantry/tenantry/functions/sms/account"
	"github.com/tenantry/tenantry/functions/tenants"
	hooks "github.com/tenantry/tenantry/functions/webhooks/clerk"
	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/outbox/notify/daily"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// names returns the names of the rules of a sender's and a recipient's limits, and of rules that count everybody together.
func names(l account.Limits, all ...throttle.Rule) (list []string) {
	for _, r := range append(l.Rules(), all...) {
		list = append(list, r.Name)
	}
	return list
}

// leaving are the messages of the outbox that leave the platform, with the names of the rules that count them: by who sends them, by who
// gets them, and for all together. A message without rules says what bounds it instead.
func leaving() map[outbox.Kind][]string {
	sms, mails, strangers := daily.SMS(1), daily.CompanyMail(1), daily.StrangerMail(1)
	return map[outbox.Kind][]string{
		"documents.link":     names(account.Links(), sms, mails),
		"documents.code":     names(account.Codes(), sms),
		"sms.deliver":        names(account.Paid(), sms),
		"tenants.invitation": {"invite-user", "invite-company", "invite-pair", "invite-to", mails.Name},
		"identity.code":      {"code", "codes", strangers.Name},
		"identity.password":  {strangers.Name}, // one for each code that was right
		"identity.linked":    {"identity-link", strangers.Name},
		"documents.seal":     {clerk.Seals().Name}, // a signature, and perhaps a time stamp
		"webhooks.notice":    {hooks.Notices().Name, mails.Name},
		"tenants.exported":   {"export"},
		"tenants.closed":     {tenants.Closings().Name, mails.Name},
		"tenants.domain":     {}, // a host that was proven, among the platform's own items
	}
}

// staying are the messages that cause nothing outside of the platform.
func staying() []outbox.Kind {
	return []outbox.Kind{
		"clients.import", "documents.gone", "inventory.import", "inventory.move", "metrics.order", "metrics.penalties", "metrics.rebuild",
		"orders.arrive", "orders.lapse", "penalties.car", "penalties.items", "penalties.match", "tenants.export", "tenants.profile", "tenants.standing", "webhooks.stopped",
	}
}

// Every message of every group is told to leave the platform or to stay.
func TestEveryMessageIsListed(t *testing.T) {
	env := webtest.New(t).Env
	there := map[outbox.Kind]bool{}
	for name, group := range groups.All() {
		for kind := range group(env).Work {
			there[kind] = true
			if _, leaves := leaving()[kind]; leaves == slices.Contains(staying(), kind) {
				t.Errorf("%s: is %s sent to anybody outside? It has to be in one of the lists", name, kind)
			}
		}
	}
	for _, kind := range slices.Concat(slices.Collect(maps.Keys(leaving())), staying()) {
		if !there[kind] {
			t.Errorf("%s is listed, and no group has it", kind)
		}
	}
}

// sources are the sources of the platform by their paths.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	root, err := engine.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, folder := range []string{"shared", "functions"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(name)], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// What can be sent to people is bounded by company and by recipient.
func TestLimitsBoundWhoSendsAndWhoGets(t *testing.T) {
	for kind, rules := range map[string]account.Limits{"links": account.Links(), "codes": account.Codes(), "messages": account.Paid()} {
		if rules.Company.Limit == 0 || rules.Recipient.Limit == 0 {
			t.Errorf("%s have no limit of a company, or of a telephone: %+v", kind, rules)
		}
	}
}

// SMS leave by one door: the account's. These files alone name the channel, or leave one of the messages that send them; and whatever
// asks somebody outside is one of these.
func TestOneDoor(t *testing.T) {
	for what, rule := range map[string]struct {
		pattern string
		in      []string
	}{
		"sends SMS": {`^notify\.SMS$`, []string{
			"functions/documents/clerk/notices.go", "functions/sms/deliver.go", "shared/outbox/notify/httpsms/httpsms.go",
			"shared/outbox/notify/providers/providers.go", "shared/outbox/notify/sns/sns.go",
		}},
		"names a message that is an SMS": {`^(document\.)?(LinkKind|CodeKind)$|^deliverKind$`, []string{
			"functions/documents/clerk/notices.go", "functions/documents/document/desk.go", "functions/sms/message.go", "functions/sms/sms.go",
		}},
		"pays SMS": {`(?i)door\.(Sends|Pays)$`, []string{
			"functions/documents/signs.go", "functions/signing/signing.go", "functions/sms/message.go",
		}},
		"sends messages": {`(?i)\.?(notify|sender)\.Send$`, []string{
			"functions/documents/clerk/notices.go", "functions/identity/deliver.go", "functions/sms/deliver.go", "functions/tenants/closed.go", "functions/tenants/mail.go",
			"functions/webhooks/clerk/clerk.go",
		}},
		"calls strangers": {`^public\.New$`, []string{"functions/deliver/deliver.go", "functions/webhooks/webhooks.go"}},
		"asks others over HTTP": {`^remote\.New$`, []string{
			"functions/documents/group.go", "functions/seal/new.go", "functions/signing/signing.go",
		}},
	} {
		pattern, in := regexp.MustCompile(rule.pattern), map[string]bool{}
		for name, f := range sources(t) {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if pattern.MatchString(dotted(n)) {
						in[name] = true
					}
				case *ast.Ident:
					if pattern.MatchString(n.Name) {
						in[name] = true
					}
				}
				return true
			})
		}
		if got := slices.Sorted(maps.Keys(in)); !slices.Equal(got, rule.in) {
			t.Errorf("what %s: %v, listed are %v", what, got, rule.in)
		}
	}
}

// dotted is a selector as it is written: "s.notify.Send".
func dotted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return dotted(e.X) + "." + e.Sel.Name
	}
	return ""
}
