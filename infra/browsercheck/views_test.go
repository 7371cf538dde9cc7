package browsercheck

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// sawViews is what the browser saw of the console's views.
type sawViews struct {
	Elsewhere, Broken, Faults, Wide []string
	Texts                           map[string][]string // titles
	Led, Week, Order, Focused       string
	Unsigned                        string // what is said of webhooks
	Fleet                           struct {
		Items, Days    int
		Groups, States []string
		Right          float64
	}
	Behind map[string]struct { // records to which a bar's dialog leads, by their kinds
		Called, Shown, Hash string
		Dialogs             int
	}
	Totals, Types, Foot []string
	Day                 string
	Rows                struct{ Title, Text string }
	Padding             bool     // whether a dialog is still there after a click into its padding
	Wrong               []string // the cells of a sheet that was refused
	Empty               string   // what is said of one without rows
	Large               string   // what is said of one that the gateway refuses
	Passed, Focus       string
	Written             map[string]int // records of sheets whose answer was lost
	Reads               int            // inputs for who may only read
	Template            string
	Letter              struct{ Text, Code string }
	Links               []string
	Came, Delivered     string
	Told                string
	Request             struct {
		Path, Facts string
		Calls       []string
	}
}

// The views of the console show the fleet, what it brought in, what was sent to people and to programs, and the last requests. They do it in
// three languages, by the keyboard, in the dark and on a phone, and ask nobody but the platform.
func TestViews(t *testing.T) {
	p := start(t)
	s := &staff{t: t, base: p.URL}
	var tokens struct{ Access string }
	s.post("/v1/auth/login/", p.Demo(), &tokens)
	do := plan{
		Base: p.URL, Token: tokens.Access, Chromium: chromium(), Shots: os.Getenv("BROWSERCHECK_SHOTS"), Runs: []run{{To: p.Demo().Username}},
	}
	var saw sawViews
	browse(t, "views.mjs", do, &saw)
	for what, list := range map[string][]string{
		"they ask elsewhere": saw.Elsewhere, "they break": saw.Broken, "axe finds": saw.Faults, "wider than a phone": saw.Wide,
	} {
		if len(list) > 0 {
			t.Errorf("%s:\n%s", what, strings.Join(list, "\n"))
		}
	}
	t.Run("schedule", saw.schedule)
	t.Run("metrics", saw.metrics)
	t.Run("import", saw.imports)
	t.Run("messages", func(t *testing.T) { saw.messages(t, p.URL) })
	t.Run("requests", saw.requests)
	for language, want := range map[string][]string{
		"ru": {"Календарь", "Показатели", "Импорт", "Исходящие", "Веб-хуки", "Запросы"},
		"kk": {"Күнтізбе", "Көрсеткіштер", "Импорт", "Шығыс хабарлар", "Веб-хуктар", "Сұраулар"},
	} {
		got := saw.Texts[language]
		if len(got) != len(want) || slices.ContainsFunc(want, func(title string) bool {
			return !slices.ContainsFunc(got, func(is string) bool { return strings.HasPrefix(is, title) })
		}) {
			t.Errorf("in %s the titles are %q", language, got)
		}
	}
}

// The old address leads to the fleet, with every state of the demo company; behind a bar is its order, with links to records, and a swap
// leads to the other bar.
func (s sawViews) schedule(t *testing.T) {
	f := s.Fleet
	if s.Led != "/_local/#/schedule" || f.Items < 30 || f.Days != 14 || len(f.Groups) < 5 || f.Right > 1 {
		t.Errorf("led to %s: %+v", s.Led, f)
	}
	for _, state := range []string{"asked", "planned", "out", "overdue", "back", "sale", "block"} {
		if !slices.Contains(f.States, state) {
			t.Errorf("nothing is %s", state)
		}
	}
	for _, of := range []string{"Order ", "Client", "Phone+7", "Price₸", "handed out"} {
		if !strings.Contains(s.Order, of) {
			t.Errorf("an order has no %q: %s", of, s.Order)
		}
	}
	if !strings.HasPrefix(s.Focused, "slot ") || !strings.HasPrefix(s.Week, "#/schedule?start=20") {
		t.Errorf("the focus is on %q, and a week later is %s", s.Focused, s.Week)
	}
	for _, kind := range []string{"order", "client", "inventory"} {
		led := s.Behind[kind]
		at := strings.TrimPrefix(led.Hash, "#/kind/")
		called := strings.TrimPrefix(led.Called, "Order ")
		if !strings.HasPrefix(at, kind+"/") || called == "" || led.Dialogs > 0 ||
			led.Shown != called+" "+strings.Replace(at, "/", ":", 1) {
			t.Errorf("to the %s of a bar leads %+v", kind, led)
		}
	}
}

// The page shows the sums that the table below them adds up to, and for a day the sums of its rows.
func (s sawViews) metrics(t *testing.T) {
	if len(s.Totals) != 3 || len(s.Types) < 5 || len(s.Foot) != 2*(1+len(s.Types)) {
		t.Fatalf("%q, %q, %q", s.Totals, s.Types, s.Foot)
	}
	if s.Totals[0] != "₸"+s.Foot[0] || !strings.HasPrefix(s.Totals[1], "₸"+s.Foot[1]+" (") || s.Foot[0] == s.Foot[1] {
		t.Errorf("the sums are %q, and the table's %q", s.Totals, s.Foot[:2])
	}
	title := s.Rows.Title
	_, amounts, ok := strings.Cut(title, ": accrued ₸")
	accrued, collected, both := strings.Cut(amounts, ", collected ₸")
	if title != s.Day || !ok || !both || !strings.HasSuffix(s.Rows.Text, accrued+collected+"Close") {
		t.Errorf("%q is made of %s", s.Day, s.Rows.Text)
	}
	if !s.Padding {
		t.Error("a click into a dialog closes it")
	}
}

// A sheet is tried before it is written: each mistake is told by its row and column, and what is left out by its header.
func (s sawViews) imports(t *testing.T) {
	if len(s.Wrong) != 2 || !strings.HasPrefix(s.Wrong[0], "B2 ИИН850515300017Enter a valid IIN") ||
		!strings.HasPrefix(s.Wrong[1], "A3 НаименованиеThis field is required.") {
		t.Errorf("wrong is %q", s.Wrong)
	}
	for _, want := range []string{"Columns that are left out: \u2068Цвет\u2069", "Cells to check first, below: 1", "A4 Наименование", "double of row 3"} {
		if !strings.Contains(s.Passed, want) {
			t.Errorf("there is no %q in %s", want, s.Passed)
		}
	}
	if want := map[string]int{"Айгүл": 1, "Ержан": 2, "Дана": 1, "Тимур": 1, "Сауле": 1}; !maps.Equal(s.Written, want) {
		t.Errorf("rows whose answer was lost are written %v, want %v", s.Written, want)
	}
	if !strings.HasPrefix(s.Focus, "Rows imported: 3.") || s.Reads != 0 {
		t.Errorf("the focus is on %q, and who may only read has %d inputs", s.Focus, s.Reads)
	}
	if s.Large != "The answer is 413: What was sent is too large: at most 4 MB." {
		t.Errorf("of a sheet that the gateway refuses it says %s", s.Large)
	}
	if s.Empty != "This list may not be empty." {
		t.Errorf("of a sheet without rows it says %s", s.Empty)
	}
	if s.Template != "individuals.xlsx" {
		t.Errorf("the template is called %q", s.Template)
	}
}

// A code that was just asked for is in the outbox, links open the platform's pages, and a webhook's test comes and is listed.
func (s sawViews) messages(t *testing.T, base string) {
	if len(s.Letter.Code) != 6 || !strings.Contains(s.Letter.Text, s.Letter.Code) {
		t.Errorf("%+v", s.Letter)
	}
	if !slices.ContainsFunc(s.Links, func(link string) bool { return strings.HasPrefix(link, "_blank "+base+"/sign/") }) {
		t.Errorf("the outbox has the links %q", s.Links)
	}
	if !strings.Contains(s.Came, "verified204") || strings.Contains(s.Came, "not verified") || !strings.Contains(s.Came, "Webhook-Signature: v1,") {
		t.Errorf("came: %s", s.Came)
	}
	if !strings.Contains(s.Unsigned, "Nothing has come yet.") || strings.Contains(s.Unsigned, "Webhooks of the company") {
		t.Errorf("without a sign-in it says %s", s.Unsigned)
	}
	if !strings.Contains(s.Delivered, "webhook.") || !strings.Contains(s.Delivered, "204") || s.Told != "500" {
		t.Errorf("delivered: %s; the receiver answers %s", s.Delivered, s.Told)
	}
}

// A request is shown with its calls and units, and without the token of its query.
func (s sawViews) requests(t *testing.T) {
	r := s.Request
	if r.Path != "GET /v1/crm/clients/?pageSize=3&search=А&access_token=*" {
		t.Errorf("it is %q", r.Path)
	}
	for _, call := range []string{"BatchGetItem authorizer", "Query clients"} {
		if !slices.ContainsFunc(r.Calls, func(one string) bool { return strings.Contains(one, call) }) {
			t.Errorf("it calls no %s: %q", call, r.Calls)
		}
	}
	var facts struct {
		Calls int
		Read  float64 `json:"read_units"`
	}
	// The authorizer's calls aren't a request's own, and are two where it counts the requests of somebody who has sent many.
	own := len(slices.DeleteFunc(slices.Clone(r.Calls), func(one string) bool { return strings.Contains(one, " authorizer") }))
	if err := json.Unmarshal([]byte(r.Facts), &facts); err != nil || facts.Calls != own || facts.Calls == 0 || facts.Read <= 0 {
		t.Errorf("%v: %q are shown, and of itself it says %s", err, r.Calls, r.Facts)
	}
}
