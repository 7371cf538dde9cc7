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

	"go.yaml.in/yaml/v3"

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
	Answer  *Answer // nil if there is none
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
	if len(s.Steps) > 0 {
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
	if r.left(s) {
		r.lose(keep, false)
		return nil
	}
	o := Outcome{Do: s.Do}
	w, err := r.fill(s)
	o.Request, o.Err = w.request, err
	for end := time.Now().Add(s.Within); err == nil; {
		begun := time.Now()
		o.Answer, o.Err = r.Send(ctx, w.request)
		o.Took = time.Since(begun)
		if o.Err == nil {
			o.Err = w.check(o.Answer)
		}
		if o.Err == nil || ctx.Err() != nil || time.Now().After(end) {
			break
		}
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
func (r *Runner) each(ctx context.Context, s Step) error {
	list, err := Tree(&s.Each)
	if err != nil {
		return err
	}
	values, _ := list.([]any)
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

// left tells whether a step is left out.
func (r *Runner) left(s Step) bool {
	if s.If != "" && r.Values[s.If] == nil || s.Unless != "" && r.Values[s.Unless] != nil {
		return true
	}
	return slices.ContainsFunc(s.Names(), func(name string) bool { return r.lost[name] })
}

// lose notes what is not kept by a step. Where the step was asked, what an earlier one has kept is another's.
func (r *Runner) lose(names map[string]string, asked bool) {
	if r.lost == nil {
		r.lost = map[string]bool{}
	}
	for name := range names {
		if asked {
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

// wanted is a step with values instead of their names.
type wanted struct {
	request  Request
	status   statuses
	answered map[string]*string
	bare     bool // of an answer, nothing is expected
	answer   any
}

func (r *Runner) fill(s Step) (w wanted, err error) {
	text := func(of string) string {
		filled, fails := r.Values.Text(of)
		if err == nil {
			err = fails
		}
		return filled
	}
	value := func(of *yaml.Node) any {
		tree, fails := Tree(of)
		if fails == nil {
			tree, fails = r.Values.Fill(tree)
		}
		if err == nil {
			err = fails
		}
		return tree
	}
	method, path, _ := strings.Cut(text(s.Request), " ")
	w.request = Request{As: text(s.As), Method: method, Path: path, Type: s.Type, At: text(s.At), Headers: map[string]string{}}
	for name, of := range s.Headers {
		w.request.Headers[name] = text(of)
	}
	switch body := value(&s.Body).(type) {
	case nil:
	case string:
		w.request.Body = []byte(body)
	default:
		encoded, fails := json.Marshal(body)
		w.request.Body = encoded
		if err == nil {
			err = fails
		}
	}
	w.status, w.bare, w.answered = s.Status, s.Answer.IsZero(), map[string]*string{}
	w.answer = value(&s.Answer)
	for name, of := range s.Answered {
		if of != nil {
			filled := text(*of)
			of = &filled
		}
		w.answered[name] = of
	}
	return w, err
}

// check returns what is wrong with an answer, or nil.
func (w wanted) check(a *Answer) error {
	if success := a.Status >= 200 && a.Status < 300; !slices.Contains(w.status, a.Status) && (len(w.status) > 0 || !success) {
		return fmt.Errorf("expected status %s, got %s", strings.Trim(fmt.Sprint([]int(w.status)), "[]"), a)
	}
	for _, name := range slices.Sorted(maps.Keys(w.answered)) {
		switch want, got := w.answered[name], a.Header.Get(name); {
		case want == nil && got == "", want != nil && got != "" && len(match.Compare("", *want, got)) == 0:
		case want == nil:
			return fmt.Errorf("expected no %s, got %q", name, got)
		default:
			return fmt.Errorf("expected %s: %s, got %q", name, *want, got)
		}
	}
	switch {
	case w.bare:
		return nil
	case w.answer == nil:
		if len(a.Body) > 0 {
			return fmt.Errorf("expected no body, got %s", a)
		}
		return nil
	}
	body, err := match.Parse(a.Body)
	if err != nil {
		return fmt.Errorf("expected JSON, got %s", a)
	}
	if differences := match.Compare("", w.answer, named(w.answer, body)); len(differences) > 0 {
		return fmt.Errorf("not as expected: %s in %s", strings.Join(differences, "; "), a)
	}
	return nil
}

// named is the part of a body that an expected one names.
func named(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return got
		}
		part := map[string]any{}
		for name, w := range want {
			if v, there := object[name]; there {
				part[name] = named(w, v)
			}
		}
		return part
	case []any:
		list, ok := got.([]any)
		if !ok {
			return got
		}
		var part []any
		for i, v := range list[:min(len(list), len(want))] {
			part = append(part, named(want[i], v))
		}
		return part
	}
	return got
}
