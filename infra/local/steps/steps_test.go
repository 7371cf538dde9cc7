package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func parse(t *testing.T, text string) []Step {
	t.Helper()
	list, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// stage answers what it is asked with what the body says: a status and a body.
type stage struct{ asked []string }

func (s *stage) send(_ context.Context, r Request) (*Answer, error) {
	s.asked = append(s.asked, strings.TrimSpace(fmt.Sprint(r.As, " ", r.Method, " ", r.Path, " ", string(r.Body))))
	status, body, _ := strings.Cut(string(r.Body), " ")
	a := &Answer{Status: 200, Header: http.Header{"Etag": {`"7"`}}, Body: []byte(body)}
	_, err := fmt.Sscan(status, &a.Status)
	return a, err
}

func TestExpectations(t *testing.T) {
	for _, c := range []struct{ expected, answer, says string }{
		{"status: 200", "200", ""},
		{"status: 200", "201", "expected status 200, got 201 Created"},
		{"status: [200, 404]", "404", ""},
		{"keep: {}", "204", ""},
		{"keep: {}", "301", "expected status , got 301"},
		{"answer: {id: 3}", `200 {"id":3,"name":"x"}`, ""},
		{"answer: {id: 3}", `200 {"id":"3"}`, "id: \"3\", want 3"},
		{"answer: {id: 3}", `200 {}`, "id is missing"},
		{"answer: {id: <any>}", `200 [3]`, "want an object"},
		{"answer: {id: '${number}'}", `200 {"id":7}`, ""},
		{"answer: {id: '${text number}'}", `200 {"id":"7"}`, ""},
		{"answer: {a: [{id: 1}]}", `200 {"a":[{"id":1},{"id":2}]}`, ""},
		{"answer: {a: [{id: 2}]}", `200 {"a":[{"id":1},{"id":2}]}`, "a.0.id: 1, want 2"},
		{"answer: {a: [{id: 1}]}", `200 {"a":[]}`, "want a list of 1"},
		{"answer: {a: []}", `200 {"a":[]}`, ""},
		{"answer: {a: []}", `200 {"a":[{"id":1}]}`, "want a list of 0"},
		{"answer: {a: {}}", `200 {"a":{"id":1}}`, "a: id is not wanted"},
		{"answer: ''", "204", ""},
		{"answer: ''", "200 {}", "expected no body"},
		{"answer: {id: 3}", "200 x", "expected JSON"},
		{"answered: {ETag: <string>}", "200", ""},
		{"answered: {ETag: '\"${number}\"'}", "200", ""},
		{"answered: {ETag: '\"8\"'}", "200", "expected ETag"},
		{"answered: {Location: <any>}", "200", "expected Location"},
		{"answered: {Location: null}", "200", ""},
		{"answered: {ETag: null}", "200", "expected no ETag"},
		{"keep: {a: b.0.c}", `200 {"b":[{"c":0}]}`, ""},
		{"keep: {a: b.1.c}", `200 {"b":[{"c":0}]}`, "expected b.1.c"},
		{"keep: {a: header ETag, b: 'header Location?'}", "200", ""},
	} {
		list := parse(t, fmt.Sprintf("- {do: it, request: GET /, body: '%s', %s}", c.answer, c.expected))
		runner := Runner{Values: Values{"number": json.Number("7")}, Send: new(stage).send}
		err := runner.Run(t.Context(), list)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %s: %v", c.expected, c.answer, err)
		}
	}
}

// What a step keeps, later ones name. Steps that need what was not kept are left out.
func TestWhatIsKept(t *testing.T) {
	list := parse(t, `
- {as: ann, request: GET /a/, body: '200 {"id":3,"name":"x"}', keep: {a: id, 'name.${who}': name, none: 'none?'}}
- {request: 'GET /${a}/${name.ann}', headers: {A: '${who}'}, body: '200'}
- {request: GET /, body: {a: ['${a}', '${name.ann} ${a}']}}
- {request: 'GET /${none}/'}
- {request: GET /if/, if: none}
- {request: GET /unless/, unless: a, keep: {a: id}}
- {request: 'message ${a}', body: '200'}
- {request: GET /bad/, body: '500', keep: {bad: id}}
- {request: 'GET /${bad}/', keep: {worse: id}}
- {request: 'GET /', body: '${worse}'}
- {request: 'GET /${record.names.1}/', body: '200'}
- {each: [1, &two {b: 2}, {<<: *two, c: 3}], steps: [{request: GET /, body: {each: '${each}'}}]}
- {request: 'GET /${record.none}/'}
- {request: GET /, body: ['${record.none}']}
- {if: nobody, each: [1], steps: [{request: GET /each/}]}
- {request: 'GET /', body: '${nobody}'}
- {request: GET /, body: {phone: +77010000001}}
`)
	var s stage
	var failed []string
	runner := Runner{
		Values: Values{"who": "ann", "record": map[string]any{"names": []any{"a", "b"}}}, Send: s.send,
		Told: func(o Outcome) {
			if o.Err != nil {
				failed = append(failed, o.Err.Error())
			}
		},
	}
	if err := runner.Run(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`ann GET /a/ 200 {"id":3,"name":"x"}`, "GET /3/x 200", `GET / {"a":[3,"x 3"]}`, "message 3 200", "GET /bad/ 500", "GET /b/ 200",
		`GET / {"each":1}`, `GET / {"each":{"b":2}}`, `GET / {"each":{"b":2,"c":3}}`, "GET / [null]",
	}
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked was\n%s", strings.Join(s.asked, "\n"))
	}
	if last := failed[len(failed)-2]; len(failed) != 8 || last != "nothing here is called ${nobody}" {
		t.Errorf("failed: %q", failed)
	}
	if names := list[1].Names(); !slices.Equal(names, []string{"a", "name.ann", "who"}) {
		t.Errorf("it names %q", names)
	}
}

func TestWithin(t *testing.T) {
	list, n := parse(t, "- {request: GET /, answer: {n: 2}, within: 1m}"), 0
	runner := Runner{Values: Values{}, Send: func(context.Context, Request) (*Answer, error) {
		n++
		return JSON(map[string]int{"n": n})
	}}
	if err := runner.Run(t.Context(), list); err != nil || n != 2 {
		t.Errorf("%d times, %v", n, err)
	}
}

func TestTimes(t *testing.T) {
	zone := time.FixedZone("Almaty", 5*60*60)
	values := Values{"now": time.Date(2026, time.March, 2, 1, 30, 0, 0, zone)}
	for text, want := range map[string]string{
		"${now}": "2026-03-01T20:30:00Z", "${now-2h}": "2026-03-01T18:30:00Z", "${now+3d 09:00}": "2026-03-05T04:00:00Z",
		"${date}": "2026-03-02", "${date-2d}": "2026-02-28", "${now+90m}": "2026-03-01T22:00:00Z",
	} {
		if got, err := values.Text(text); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{"${now+}", "${now+3x}", "${later}", "${nowhere}"} {
		if got, err := values.Text(text); err == nil {
			t.Errorf("%s is %s", text, got)
		}
	}
}

// Steps that mean nothing are refused, and so is what every answer would be.
func TestParse(t *testing.T) {
	for _, text := range []string{
		"- {do: it}", "- {request: GET /, expect: 200}", "- {each: [1]}", "- {steps: [{request: GET /}]}",
		"- {each: '${list}', steps: [{request: GET /}]}", "- {request: GET /, each: one}",
		"- {request: GET /, status: good}", "- {request: GET /, answer: {}}", "- {request: GET /, answer: []}",
		"- {request: GET /, answer: {a: 1, a: 2}}", "- {request: GET /, body: {<<: [{a: 1}]}}",
		"- {request: GET /, answer: <any>}", "- {each: [1], steps: [{request: GET /, answer: {}}]}", "{}",
	} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
