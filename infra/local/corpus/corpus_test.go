package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

// written makes a corpus of one group.
func written(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	folder := filepath.Join(root, Folder, "boats")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const list = "- {name: list, request: GET /boats/}\n"

// What is wrong in a list is told with its place.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		says  string
	}{
		"a request without its answer yet": {map[string]string{"boats.yaml": list}, ""},
		"a list with comments alone":       {map[string]string{"boats.yaml": "# Nothing yet.\n"}, ""},
		"two lists":                        {map[string]string{"boats.yaml": list, "sails.yaml": "- {name: sails, request: GET /sails/}\n"}, ""},
		"an event, as it stands":           {map[string]string{"boats.yaml": "- {name: list, event: {a: 1}}\n"}, ""},
		"800 lines":                        {map[string]string{"boats.yaml": list + strings.Repeat("#\n", 799)}, ""},
		"801 lines":                        {map[string]string{"boats.yaml": list + strings.Repeat("#\n", 800)}, "boats.yaml: 801 lines"},
		"no list":                          {nil, "boats has no list"},
		"an unknown key":                   {map[string]string{"boats.yaml": "- {name: list, requests: GET /boats/}\n"}, "field requests not found"},
		"no YAML":                          {map[string]string{"boats.yaml": "- {name: list\n"}, "boats.yaml: "},
		"no name":                          {map[string]string{"boats.yaml": list + "- {request: GET /boats/}\n"}, `entry 2: "" is no name`},
		"a name that is none":              {map[string]string{"boats.yaml": "- {name: A b, request: GET /boats/}\n"}, `"A b" is no name`},
		"a name twice":                     {map[string]string{"boats.yaml": list + list}, "entry 2: there are two list"},
		"a name twice, in two lists":       {map[string]string{"boats.yaml": list, "sails.yaml": list}, "sails.yaml: entry 1: there are two list"},
		"neither a request nor an event":   {map[string]string{"boats.yaml": "- {name: list}\n"}, "list is either a request or an event"},
		"a request and an event":           {map[string]string{"boats.yaml": "- {name: list, request: GET /, event: {}}\n"}, "either a request or an event"},
		"an answer without a status":       {map[string]string{"boats.yaml": "- {name: list, request: GET /, answer: {}}\n"}, "an answer and no status"},
		"headers without a status":         {map[string]string{"boats.yaml": "- {name: list, request: GET /, answered: {Etag: x}}\n"}, "an answer and no status"},
		"an answer here and in a file": {
			map[string]string{"boats.yaml": "- {name: list, request: GET /, status: 200}\n", "list.json": "{}"}, "list has its answer here, and a file",
		},
		"an answer here and one in a file": {
			map[string]string{"boats.yaml": "- {name: list, request: GET /, status: 200}\n", "list.answer.json": "{}"}, "and a file",
		},
		"a status that is none": {map[string]string{"boats.yaml": "- {name: list, request: GET /, status: good}\n"}, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(written(t, c.files), "boats")
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

const before = `# Boats.

- {name: list, as: ann, request: 'GET /boats/?a=1'} # the first

# Of some boats.
- {name: list-filter, as: ann, request: 'GET /boats/?b=1', headers: {X-Tenant-Id: "2"}}
# They are many.

# Making.
- name: create
  request: POST /boats/ # of wood
  status: 200
  answer: {"id": 1}
  body: '{"name":"Оля"}'
- name: create-bad
  request: POST /boats/
  body: '{}'
  status: 201
  answer:
    {
      "id": 2
    }


# The end.
`

const after = `# Boats.

- {name: list, as: ann, request: 'GET /boats/?a=1'} # the first

# Of some boats.
- name: list-filter
  as: ann
  request: 'GET /boats/?b=1'
  headers: {X-Tenant-Id: "2"}
  status: 200
  answer: {
      "count": 2, "next": null,
      "results": [
        {"id": 10, "made_at": "<datetime>", "name": "Оля", "price": 1.50},
        {
          "id": 11, "made_at": null, "name": "A very long name of a boat that nobody can paint on its side, and nobody wants to",
          "sails": true
        }
      ]
    }
# They are many.

# Making.
- name: create
  request: POST /boats/ # of wood
  body: '{"name":"Оля"}'
- name: create-bad
  request: POST /boats/
  body: '{}'
  status: 400
  answered: {"Content-Type": null, "Retry-After": "<string>"}
  answer: "\ufeffa,b\r\n\U000e0041"


# The end.
`

// Answers are written into a list, and nothing else is changed in it. What was written is read again.
func TestWriteAnswers(t *testing.T) {
	root := written(t, map[string]string{"boats.yaml": before})
	event := []byte(`{"requestContext":{"requestId":"one"}}`)
	wholes := map[string]string{
		"list-filter": `{"status":200,"headers":{"Vary":"Origin","X-Request-Id":"one","Content-Type":"application/json"},"body":{"next":null,"count":2,"results":[` +
			`{"id":10,"name":"Оля","price":1.50,"made_at":"<datetime>"},{"id":11,"made_at":null,"sails":true,` +
			`"name":"A very long name of a boat that nobody can paint on its side, and nobody wants to"}]}}`,
		"create-bad": `{"status":400,"headers":{"Vary":"Origin","X-Request-Id":"one","Retry-After":"<string>"},"body":"\ufeffa,b\r\n\udb40\udc41"}`,
	}
	answers := map[string]Answer{}
	for name, whole := range wholes {
		tree, err := match.Parse([]byte(whole))
		if err != nil {
			t.Fatal(err)
		}
		object, _ := tree.(map[string]any)
		answers[name] = AnswerTo(event, object)
	}
	for range 2 { // the second time changes nothing
		if err := WriteAnswers(root, "boats", answers); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, Folder, "boats", "boats.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != after {
			t.Fatalf("%s\nwant %s", got, after)
		}
	}
	for name, whole := range wholes {
		entry, err := Find(root, "boats/"+name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := entry.Expected(event)
		if err != nil {
			t.Fatal(err)
		}
		want, err := match.Parse([]byte(whole))
		if err != nil {
			t.Fatal(err)
		}
		if diffs := match.Compare("", e.Want, want); len(diffs) > 0 || inOneLine(e.Want) != inOneLine(want) {
			t.Errorf("%s: %s, want %s", name, inOneLine(e.Want), inOneLine(want))
		}
	}
}

// Anchors have no place in an answer, and an entry begins with its name, so that recording finds what it writes.
func TestWriteAnswersRefuses(t *testing.T) {
	root := written(t, map[string]string{"boats.yaml": "- status: 200\n  name: list\n  request: GET /boats/\n"})
	if err := WriteAnswers(root, "boats", nil); err == nil || !strings.Contains(err.Error(), "begins with its name") {
		t.Error(err)
	}
	root = written(t, map[string]string{"boats.yaml": "- {name: list, request: GET /, status: 200, answer: [&a 1, *a]}\n"})
	entry, err := Find(root, "boats/list")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Expected(nil); err == nil || !strings.Contains(err.Error(), "no anchors") {
		t.Error(err)
	}
}

// Event files are written with their answers, and removed with them.
func TestFiles(t *testing.T) {
	root := written(t, map[string]string{"boats.yaml": list})
	entry, err := Find(root, "boats/list")
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFiles(entry.File, []byte(`{"a":1}`), []byte(`{"status":200}`)); err != nil {
		t.Fatal(err)
	}
	if entry, err = Find(root, "boats/list"); err != nil || !entry.Filed {
		t.Fatalf("%v, %v", entry.Filed, err)
	}
	e, err := entry.Expected(nil)
	if err != nil || string(e.Payload) != "{\n  \"a\": 1\n}\n" || inOneLine(e.Want) != `{"status": 200}` || e.Told != AnswerFile(entry.File) {
		t.Errorf("%+v, %v", e, err)
	}
	for _, kept := range [][]string{{entry.File}, nil} {
		if err := Sweep(root, "boats", kept); err != nil {
			t.Fatal(err)
		}
		if files, err := Files(root, "boats"); err != nil || len(files) != len(kept) || there(AnswerFile(entry.File)) != (len(kept) > 0) {
			t.Errorf("%v, %v, want %v", files, err, kept)
		}
	}
	if _, err := Find(root, "boats/sails"); err == nil || !strings.Contains(err.Error(), `no list of boats has "sails"`) {
		t.Error(err)
	}
}
