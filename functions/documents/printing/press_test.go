package printing

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/merge"
	"github.com/tenantry/tenantry/functions/documents/template"
	"github.com/tenantry/tenantry/shared/say"
)

// What is wrong with a template is said whole in each language: the place, the tag as it is written, and what to do.
func TestWrongInEachLanguage(t *testing.T) {
	schema := merge.Schema{Fields: map[string]merge.Schema{"client": merge.Texts("name")}}
	wrong := Wrong(template.Text{Content: "<p>\n{{client.nam}} {{#each client.name}}{{/each}}</p>", Header: "{{#if client.name}}"}, schema)
	for language, want := range map[say.Language][]string{
		say.English: {
			"Line 2, column 1: {{client.nam}} is unknown.", "Line 2, column 16: {{client.name}} is no list, which {{#each}} needs.",
			"Line 1, column 1: {{#if client.name}} isn't ended by {{/if}}.",
		},
		say.Russian: {
			"Строка 2, символ 1: переменной {{client.nam}} нет. Выберите её из списка переменных.",
			"Строка 2, символ 16: {{client.name}} не список, а для {{#each}} нужен список.",
			"Строка 1, символ 1: после {{#if client.name}} нет закрывающего {{/if}}. Добавьте его.",
		},
		say.Kazakh: {
			"2-жол, 1-таңба: {{client.nam}} айнымалысы жоқ. Оны айнымалылар тізімінен таңдаңыз.",
			"2-жол, 16-таңба: {{client.name}} тізім емес, ал {{#each}} үшін тізім керек.",
			"1-жол, 1-таңба: {{#if client.name}} белгісінен кейін жабатын {{/if}} жоқ. Оны қосыңыз.",
		},
	} {
		var got []string
		for _, field := range []string{"content", "header"} {
			list, _ := wrong[field].([]say.Message)
			for _, m := range list {
				got = append(got, m.In(language))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", language, got, want)
		}
	}
}

// A problem may be of several sentences.
func TestProblem(t *testing.T) {
	for _, c := range []struct {
		problem Problem
		want    string
	}{
		{Problem{say.PrintTooManyImages(mostImages)}, "There are more than 50 images of the company."},
		{Problem{say.TemplateResultTooLong, say.PrintNoRoom}, "The result has more than 1 MB. The margins, the header and the footer leave no room."},
	} {
		if got := c.problem.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
