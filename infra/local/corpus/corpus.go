// Package corpus reads events/: lists of requests, each with its expected answer, and event files that AWS's own tools can
// replay. It makes the gateway's event of any request of a list, and writes expected answers into the lists.
//
// Who sends events, and what is thought of the answers, never goes in here.
package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/infra/local/steps"
	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

const (
	// Folder has a folder for each group.
	Folder = "events"
	// Suffix ends the name of an event file.
	Suffix = ".json"

	answerSuffix = ".answer.json"
	listSuffix   = ".yaml"
	mostLines    = 800 // of a list, so that it can be read
)

// Entry is one request of a list.
type Entry struct {
	// Name is the name of the event, and of its files where it keeps some.
	Name string `yaml:"name"`
	// As is the name of the world's access token that the request is sent with, without ".access". If it is empty, no
	// token is sent.
	As string `yaml:"as"`
	// Request is the method and the path.
	Request string            `yaml:"request"`
	Headers map[string]string `yaml:"headers"`
	// Body is the body of the request, and Type its media type; without a Type it is JSON.
	Body string `yaml:"body"`
	Type string `yaml:"type"`
	// Host is the host of the request; without it, it is the gateway's own host.
	Host string `yaml:"host"`
	// From is the address that the request comes from; without it, it is one that nobody in the world has used.
	From string `yaml:"from"`
	// Event is an event that is sent as it stands, for functions that no client's request reaches.
	Event any `yaml:"event"`
	// Status, Answered and Answer are what is expected: the status, the headers that are not the usual ones, and the body.
	// An entry that keeps an event file has them in the file beside that.
	Status   int                `yaml:"status"`
	Answered map[string]*string `yaml:"answered"`
	Answer   yaml.Node          `yaml:"answer"`

	// Group and List have the entry, Filed tells whether it keeps an event file, and File is the path of that.
	Group, List, File string `yaml:"-"`
	Filed             bool   `yaml:"-"`
}

// ID is the name of the event with its group: documents/list.
func (e Entry) ID() string { return e.Group + "/" + e.Name }

// Event is an event as a function gets it.
type Event struct {
	Group, Name string
	Payload     []byte
	// Want is the expected answer, and Told the file that tells it. Nothing is expected of an event that has not been recorded.
	Want any
	Told string
}

// ID is the name of the event with its group: documents/list.
func (e Event) ID() string { return e.Group + "/" + e.Name }

// Groups returns the names of the folders that hold lists.
func Groups(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, Folder))
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Read reads the lists of a group.
func Read(root, group string) (all []Entry, err error) {
	paths, err := lists(root, group)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		entries, err := parse(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for i, e := range entries {
			e.Group, e.List, e.File = group, path, filepath.Join(root, Folder, group, e.Name+Suffix)
			if err := e.check(); err != nil {
				return nil, fmt.Errorf("%s: entry %d: %w", path, i+1, err)
			}
			if seen[e.Name] {
				return nil, fmt.Errorf("%s: entry %d: there are two %s", path, i+1, e.Name)
			}
			seen[e.Name], e.Filed = true, there(e.File)
			all = append(all, e)
		}
	}
	return all, nil
}

// Find returns the entry of a name: documents/list.
func Find(root, id string) (Entry, error) {
	group, name, _ := strings.Cut(id, "/")
	all, err := Read(root, group)
	if err != nil {
		return Entry{}, err
	}
	if i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Entry{}, fmt.Errorf("no list of %s has %q", group, name)
}

// lists returns the paths of a group's lists, by name.
func lists(root, group string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(root, Folder, group, "*"+listSuffix))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s has no list of requests", filepath.Join(root, Folder, group))
	}
	return paths, err
}

func parse(content []byte) (all []Entry, err error) {
	if n := bytes.Count(content, []byte("\n")); n > mostLines {
		return nil, fmt.Errorf("%d lines, which is more than %d: split it by noun", n, mostLines)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return all, nil
}

var plainName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (e Entry) check() error {
	switch answers := e.Answered != nil || !e.Answer.IsZero(); {
	case !plainName.MatchString(e.Name):
		return fmt.Errorf("%q is no name", e.Name)
	case (e.Request == "") == (e.Event == nil):
		return fmt.Errorf("%s is either a request or an event", e.Name)
	case e.Status == 0 && answers:
		return fmt.Errorf("%s has an answer and no status", e.Name)
	case e.Status != 0 && (there(e.File) || there(AnswerFile(e.File))):
		return fmt.Errorf("%s has its answer here, and a file", e.Name)
	}
	return nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Expected returns the event of an entry, with the answer that is expected to it.
func (e Entry) Expected(payload []byte) (event Event, err error) {
	if e.Filed {
		return ReadFile(e.File)
	}
	event = Event{Group: e.Group, Name: e.Name, Payload: payload, Told: e.List}
	if e.Status == 0 {
		return event, nil
	}
	a := Answer{Status: json.Number(fmt.Sprint(e.Status)), Headers: e.Answered}
	if anchored(&e.Answer) {
		return event, fmt.Errorf("%s: an answer has no anchors", e.Name)
	}
	if a.Body, err = steps.Tree(&e.Answer); err != nil {
		return event, err
	}
	event.Want = a.whole(payload)
	return event, nil
}

// anchored tells whether a value says of a part that it is as in another place. Recording would not find that.
func anchored(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, anchored)
}

// Files lists the event files of a group, by path.
func Files(root, group string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(root, Folder, group, "*"+Suffix))
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, answerSuffix) }), err
}

// AnswerFile is the path of the answer beside an event file.
func AnswerFile(path string) string { return strings.TrimSuffix(path, Suffix) + answerSuffix }

// ReadFile reads an event file, and the answer beside it if there is one.
func ReadFile(path string) (Event, error) {
	if !strings.HasSuffix(path, Suffix) || strings.HasSuffix(path, answerSuffix) {
		return Event{}, fmt.Errorf("%s is not an event", path)
	}
	payload, err := os.ReadFile(path)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Group: filepath.Base(filepath.Dir(path)), Name: strings.TrimSuffix(filepath.Base(path), Suffix),
		Payload: payload, Told: AnswerFile(path),
	}
	expected, err := os.ReadFile(e.Told)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return Event{}, err
	}
	if e.Want, err = match.Parse(expected); err != nil {
		return Event{}, fmt.Errorf("%s: %w", e.Told, err)
	}
	return e, nil
}

// Indented returns a document as event files have it: indented, with its fields in the order that they have.
func Indented(document []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(document), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
