package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestTenMistakes: a sheet with ten mistakes is told all of them at once, each by its cell with what was typed there, by a code for
// programs, and in the language of who sent it.
func TestTenMistakes(t *testing.T) {
	api := withFiles(t)
	long := strings.Repeat("ж", 513)
	rows := []string{
		"ФИО;Телефон;Эл. почта;ИИН;Дата выдачи;Срок действия;Дата рождения",
		";+77011234567;;;;;",
		"Анна;12;;;;;",
		"Берик;;berik.kz;;;;",
		"Вера;;;850515300017;;;",
		"Гүлнар;;;;02/03/2020;;",
		"Дана;;;;;;31.02.1985",
		"Ерлан;;;;;;1.1.1066",
		"Жанна;8 701 123 45 67;;;;;",
		"Зарина;;;;15.05.2030;15.05.2020;",
		long + ";;;;;;",
	}
	type cell struct {
		Row     int    `json:"row"`
		Column  string `json:"column"`
		Title   string `json:"title"`
		Field   string `json:"field"`
		Cell    string `json:"cell"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	for _, language := range say.Languages() {
		t.Run(string(language), func(t *testing.T) {
			of := func(row int, column, field, text, code string, m say.Message) cell {
				return cell{row, column, strings.Split(rows[0], ";")[column[0]-'A'], field, text, code, m.In(language)}
			}
			want, err := encode.JSON([]cell{
				of(2, "A", "name", "", "required", say.Required),
				of(3, "B", "phone", "12", "invalid_phone", say.InvalidPhone),
				of(4, "C", "email", "berik.kz", "invalid_email", say.InvalidEmail),
				of(5, "D", "iin", "850515300017", "invalid_iin", say.InvalidIIN),
				of(6, "E", "issue_date", "02/03/2020", "sheet_date_unclear", say.SheetDateUnclear),
				of(7, "G", "birth_date", "31.02.1985", "sheet_no_such_day", say.SheetNoSuchDay("31.02.1985")),
				of(8, "G", "birth_date", "1.1.1066", "sheet_date_year", say.SheetDateYear),
				of(9, "B", "phone", "8 701 123 45 67", "not_unique", say.SheetRowRepeats(2)),
				of(10, "F", "issue_date_end", "15.05.2020", "identity_card_ends_before_issue", say.IdentityCardEndsBeforeIssue),
				of(11, "A", "name", long[:200]+"…", "too_long", say.TooLong(512)),
			})
			if err != nil {
				t.Fatal(err)
			}
			c := api.As(webtest.Employee(1)).In(t).With("Accept-Language", string(language))
			for _, query := range []string{"", "?dry_run=true"} {
				a := c.Post(individuals+query, upload("a.csv", strings.Join(rows, "\n"))).Status(400).Writes(0).
					Header("Content-Language", string(language)).Field("errors", string(want))
				for i := range 10 { // the same message stands in step with the rows
					if said := fmt.Sprint(a.Value(fmt.Sprintf("data.%d", i))); !strings.Contains(said, fmt.Sprint(a.Value(fmt.Sprintf("errors.%d.message", i)))) {
						t.Errorf("row %d: %s", i, said)
					}
				}
			}
		})
	}
}
