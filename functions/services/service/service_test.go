package service_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/services/service"
	"github.com/tenantry/tenantry/functions/services/tariff"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/record/recordtest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

func TestServices(t *testing.T) {
	recordtest.Run(t, recordtest.Subject[*service.Service]{
		Kind: service.Kind(),
		New: func(n int) *service.Service {
			number, one, bonus, archived := fmt.Sprintf("SKU-%032d", n), int64(1), money.Least(), service.DisabledArchive
			return &service.Service{
				Name: fmt.Sprintf("Услуга %d, а имя её такое длинное, что в поиске ей отведено не больше места, чем всякой", n),
				Slug: fmt.Sprintf("usluga-%d", n), UniqueID: &number, Type: service.TypeWorkshop, Disabled: &archived, Category: &one,
				Price: money.Most(), Bonus: &bonus, Extra: decode.JSON(`{}`), Published: n%2 == 0,
				Tariffs: []tariff.Tariff{{Element: record.Element{ID: int64(n), Revision: 1}, Price: money.Whole(5000)}},
			}
		},
		Change: func(s *service.Service, n int) {
			s.Name, s.Price = fmt.Sprintf("Another %d", n), money.Whole(int64(n))
			s.Tariffs = []tariff.Tariff{{Element: record.Element{ID: int64(n), Revision: 2}, Price: money.Whole(6000)}}
		},
		Seed: seed,
	})
}

type category struct {
	record.Meta
	Name string `dynamo:"n"`
}

// seed makes the category 1.
func seed(t testing.TB, s record.Scope) {
	t.Helper()
	of := &record.Kind[*category]{Kind: kinds.Of(kinds.Category), Shown: func(*category) any { return nil }}
	if err := s.Do(context.Background(), nil, func(w *record.Work) error { of.Create(w, "", &category{Name: "Any"}); return nil }); err != nil {
		t.Fatal(err)
	}
}

// A request that lost a slug to another one picks one of several free slugs, so that many losers don't all want
// the same one.
func TestALoserPicksOneOfSeveral(t *testing.T) {
	conn := tabletest.New(t)
	give := func(company tenant.ID, meanwhile func()) (slug string) {
		s := record.Scope{
			Table: table.Of(conn, company), Actor: audit.Actor{User: 1, Request: uuid.NewString(), At: recordtest.Start},
			Now: func() time.Time { return recordtest.Start },
		}
		if err := s.Do(t.Context(), nil, func(w *record.Work) error {
			made := &service.Service{Name: "Wash"}
			service.Kind().Create(w, "", made)
			if err := service.GiveSlug(t.Context(), w, made); err != nil {
				return err
			}
			if slug = made.Slug; w.Try() == 1 {
				meanwhile()
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return slug
	}
	picked := map[string]bool{}
	for company := range tenant.ID(40) {
		picked[give(company+1, func() {
			if slug := give(company+1, func() {}); slug != "wash" {
				t.Errorf("the winner has the slug %s", slug)
			}
		})] = true
	}
	for slug := range picked {
		if !slices.Contains([]string{"wash-2", "wash-3", "wash-4", "wash-5"}, slug) {
			t.Errorf("a loser has the slug %s", slug)
		}
	}
	if len(picked) < 2 {
		t.Errorf("all losers pick %v", picked)
	}
}

func TestSlugOf(t *testing.T) {
	long := strings.Repeat("абвгд ", 20) // five letters and a hyphen
	for name, test := range map[string]struct{ of, want string }{
		"words":                   {"Oil  Change, 5W-30!", "oil-change-5w-30"},
		"Russian":                 {"Объёмная щётка: съезд, Юля и Эхо", "obyomnaya-shchyotka-sezd-yulya-i-ekho"},
		"all Russian letters":     {"абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "abvgdeyozhziyklmnoprstufkhtschshshchyeyuya"},
		"all Kazakh letters":      {"Ә Ғ Қ Ң Ө Ұ Ү Һ І", "a-g-q-n-o-u-u-h-i"},
		"Kazakh":                  {"Көлік жуу және жөндеу", "kolik-zhuu-zhane-zhondeu"},
		"composed of two":         {"Мой дом Cafe\u0301 и\u0306", "moy-dom-cafe-y"},
		"accents":                 {"Crème brûlée à Łódź, Straße, Ærø", "creme-brulee-a-lodz-strasse-aero"},
		"other shapes of letters": {"Ｆｕｌｌ ﬁt №①", "full-fit-no1"},
		"apostrophes":             {"Driver's & customer’s", "drivers-customers"},
		"a soft sign alone":       {"Вид ь сверху", "vid-sverkhu"},
		"hyphens around":          {" -- Wash -- ", "wash"},
		"slashes and dots":        {"../../etc/passwd?x=1#y", "etc-passwd-x-1-y"},
		"no letters":              {"— !!! —", "service"},
		"letters of nowhere":      {"洗车", "service"},
		"signs alone":             {"ъ ь '", "service"},
		"too long":                {long, strings.Repeat("abvgd-", 9) + "abvgd"},
		"one word too long":       {strings.Repeat("щ", 512), strings.Repeat("shch", 16)},
		"broken text":             {"a\xff\xfeb\x00c", "a-b-c"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := service.SlugOf(test.of); got != test.want {
				t.Errorf("%q is %q, want %q", test.of, got, test.want)
			}
		})
	}
}
