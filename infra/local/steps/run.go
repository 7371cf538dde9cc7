package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

// pause is the time after which a step is tried again.
const pause = 200 * time.Millisecond

// Request is what a step asks, with values instead of their names.
type Request struct {
	As, Method, Path, Type, At string
	Headers                    map[string]string
	Body                       []byte
}

// Answer is what a request was answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON makes an answer of a program's own.
func JSON(v any) (*Answer, error) {
	body, err := json.Marshal(v)
	return &Answer{Status: http.StatusOK, Header: http.Header{}, Body: body}, err
}

// maxShown is how many bytes of an unexpected body are shown.
const maxShown = 400

// String is the status and the beginning of the body.
func (a *Answer) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", a.Status, http.StatusText(a.Status), a.Body[:min(maxShown, len(a.Body))]))
}

// Outcome is what became of a step.
type Outcome struct {
	Do      string
	Request Request
	Answer  *Answer // nil if the request got no answer
	Err     error
	Took    time.Duration
}

// Runner runs steps.
type Runner struct {
	// Values are those that steps may name. What they keep is added.
	Values Values
	Send   func(context.Context, Request) (*Answer, error)
	// Told hears of each step, and the steps go on after one that failed. Without it, the first that fails ends them.
	Told func(Outcome)

	lost map[string]bool // what was to be kept, and was not
}

// Run runs the steps.
func (r *Runner) Run(ctx context.Context, list []Step) error {
	for _, s := range list {
		if err := r.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) step(ctx context.Context, s Step) error {
	out := s.If != "" && r.absent(s.If) || s.Unless != "" && !r.absent(s.Unless)
	if len(s.Steps) > 0 && !out {
		return r.each(ctx, s)
	}
	keep := map[string]string{}
	for name, path := range s.Keep {
		filled, err := r.Values.Text(name)
		if err != nil {
			return err
		}
		keep[filled] = path
	}
	if out || r.lacks(s) {
		r.lose(keep, !out)
		return nil
	}
	o := Outcome{Do: s.Do}
	o.Err = r.fill(&s)
	o.Request = request(s)
	for end := time.Now().Add(s.Within); o.Err == nil; {
		begun := time.Now()
		o.Answer, o.Err = r.Send(ctx, o.Request)
		o.Took = time.Since(begun)
		if o.Err == nil {
			o.Err = s.check(o.Answer)
		}
		if o.Err == nil || ctx.Err() != nil || time.Now().After(end) {
			break
		}
		o.Err = nil
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	r.lose(keep, true)
	if o.Err == nil {
		o.Err = r.keep(keep, o.Answer)
	}
	switch {
	case r.Told != nil:
		r.Told(o)
	case o.Err != nil:
		return fmt.Errorf("%s %s %s: %w", s.Do, o.Request.Method, o.Request.Path, o.Err)
	}
	return nil
}

// each runs the steps below a step for each of its values.
func (r *Runner) each(ctx context.Context, s Step) (err error) {
	values, _ := s.Each.any.([]any)
	for _, value := range values {
		if r.Values["each"], err = r.Values.Fill(value); err != nil {
			return err
		}
		if err := r.Run(ctx, s.Steps); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) absent(name string) bool {
	value, _ := r.Values.value(name)
	return value == nil
}

// lacks tells whether something that a step names was to be kept and was not, or is no part of what was.
func (r *Runner) lacks(s Step) bool {
	for _, found := range name.FindAllStringSubmatch(s.Request, -1) {
		if value, known := r.Values.value(found[1]); known && value == nil {
			return true
		}
	}
	return slices.ContainsFunc(s.Names(), func(name string) bool { return r.lost[name] })
}

// lose notes what is not kept. What an earlier step has kept is given up, unless this one was left out because of what it is for.
func (r *Runner) lose(names map[string]string, forget bool) {
	if r.lost == nil {
		r.lost = map[string]bool{}
	}
	for name := range names {
		if forget {
			delete(r.Values, name)
		}
		r.lost[name] = r.Values[name] == nil
	}
}

// keep keeps what later steps need.
func (r *Runner) keep(paths map[string]string, a *Answer) error {
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		path, perhaps := strings.CutSuffix(paths[name], "?")
		value := a.Value(path)
		if value == nil && !perhaps {
			return fmt.Errorf("expected %s, got %s", path, a)
		}
		if value != nil {
			r.Values[name] = value
			delete(r.lost, name)
		}
	}
	return nil
}

// Value is what an answer has at a path, such as results.0.id or header ETag. It is nil if there is nothing.
func (a *Answer) Value(path string) any {
	if name, header := strings.CutPrefix(path, "header "); header {
		if a.Header.Get(name) == "" {
			return nil
		}
		return a.Header.Get(name)
	}
	body, err := match.Parse(a.Body)
	if err != nil {
		return nil
	}
	return at(body, path)
}

func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// fill puts values in the place of their names, and a body into JSON.
func (r *Runner) fill(s *Step) (err error) {
	for _, part := range []*string{&s.As, &s.Request, &s.At} {
		if *part, err = r.Values.Text(*part); err != nil {
			return err
		}
	}
	for _, part := range []*tree{&s.Headers, &s.Body, &s.Answered, &s.Answer} {
		if part.any, err = r.Values.Fill(part.any); err != nil {
			return err
		}
	}
	if _, text := s.Body.any.(string); s.Body.any != nil && !text {
		encoded, err := json.Marshal(s.Body.any)
		s.Body.any = string(encoded)
		return err
	}
	return nil
}

// request is what a step asks that has its values.
func request(s Step) Request {
	method, path, _ := strings.Cut(s.Request, " ")
	r := Request{As: s.As, Method: method, Path: path, Type: s.Type, At: s.At, Headers: map[string]string{}}
	headers, _ := s.Headers.any.(map[string]any)
	for name, value := range headers {
		r.Headers[name] = fmt.Sprint(value)
	}
	if body, ok := s.Body.any.(string); ok {
		r.Body = []byte(body)
	}
	return r
}

// check returns what is wrong with an answer, or nil.
func (s Step) check(a *Answer) error {
	if success := a.Status >= 200 && a.Status < 300; !slices.Contains(s.Status, a.Status) && (len(s.Status) > 0 || !success) {
		return fmt.Errorf("expected status %s, got %s", strings.Trim(fmt.Sprint([]int(s.Status)), "[]"), a)
	}
	answered, _ := s.Answered.any.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(answered)) {
		switch want, got := answered[name], a.Header.Get(name); {
		case want == nil && got != "":
			return fmt.Errorf("expected no %s, got %q", name, got)
		case want != nil && (got == "" || len(match.Compare("", want, got)) > 0):
			return fmt.Errorf("expected %s: %s, got %q", name, want, got)
		}
	}
	switch {
	case s.Answer.any == nil, s.Answer.any == string(a.Body):
		return nil
	case s.Answer.any == "":
		return fmt.Errorf("expected no body, got %s", a)
	}
	body, err := match.Parse(a.Body)
	if err != nil {
		return fmt.Errorf("expected JSON, got %s", a)
	}
	if differences := match.Compare("", s.Answer.any, named(s.Answer.any, body)); len(differences) > 0 {
		return fmt.Errorf("not as expected: %s in %s", strings.Join(differences, "; "), a)
	}
	return nil
}

// named is the part of a body that an expected one names. An empty list or object names all: that nothing is there.
func named(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		if object, ok := got.(map[string]any); ok && len(want) > 0 {
			part := map[string]any{}
			for name, value := range object {
				if w, wanted := want[name]; wanted {
					part[name] = named(w, value)
				}
			}
			return part
		}
	case []any:
		if list, ok := got.([]any); ok && len(want) > 0 {
			var part []any
			for i, value := range list[:min(len(list), len(want))] {
				part = append(part, named(want[i], value))
			}
			return part
		}
	}
	return got
}
