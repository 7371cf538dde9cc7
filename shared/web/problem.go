package web

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// TypeProblem is the media type of an error as RFC 9457 describes it.
const TypeProblem = "application/problem+json"

// titles say what kind of error it is.
var titles = map[fault.Code]say.Message{
	fault.Invalid:         say.TitleInvalid,
	fault.Malformed:       say.TitleMalformed,
	fault.Unauthenticated: say.TitleUnauthenticated,
	fault.BadToken:        say.TitleUnauthenticated,
	fault.Forbidden:       say.TitleForbidden,
	fault.NotFound:        say.TitleNotFound,
	notAllowed:            say.TitleNotAllowed,
	fault.NotAcceptable:   say.TitleNotAcceptable,
	fault.Conflict:        say.TitleConflict,
	fault.Gone:            say.TitleGone,
	fault.Precondition:    say.TitlePrecondition,
	fault.TooLarge:        say.TitleTooLarge,
	fault.MediaType:       say.TitleMediaType,
	fault.Mismatch:        say.TitleMismatch,
	fault.Throttled:       say.TitleThrottled,
	serverError:           say.TitleServerError,
	fault.Unavailable:     say.TitleUnavailable,
}

// fieldProblem is one of the errors of a problem.
type fieldProblem struct {
	Pointer string          `json:"pointer"` // RFC 6901, into the body that was sent; "" is the body as a whole
	Code    string          `json:"code"`
	Detail  say.Message     `json:"detail"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// ofProblems are the members that a problem has of its own.
var ofProblems = []string{"type", "title", "status", "detail", "errors", "params"}

// problemOf is the body of an error as RFC 9457 describes it. The fault's members are members of it too; those whose names a problem has
// taken, such as the status of an order, are in the member "members".
func problemOf(f *fault.Error, base string) map[string]any {
	body := make(map[string]any, 7+len(f.Members))
	beside := map[string]any{}
	for name, value := range f.Members {
		if slices.Contains(ofProblems, name) {
			beside[name] = value
		} else {
			body[name] = value
		}
	}
	if len(beside) > 0 {
		body["members"] = beside
	}
	code := codeOf(f)
	body["type"], body["title"], body["status"], body["code"] = base+"/v1/errors/"+code+"/", titles[f.Code], statuses[f.Code], code
	body["detail"] = f.Detail
	if len(f.Fields) > 0 {
		body["errors"] = fieldProblems(nil, "", f.Fields)
		if f.Detail == "" {
			body["detail"] = say.CheckFields
		}
	}
	if params := f.Detail.Params(); params != nil {
		body["params"] = params
	}
	return body
}

// codeOf is the name by which a program tells a fault apart: its own, that of its text, or that of its kind.
func codeOf(f *fault.Error) string {
	if code, ok := f.Members["code"].(string); ok {
		return code
	}
	if code := f.Detail.Code(); code != "" {
		return code
	}
	return string(f.Code)
}

// fieldProblems appends the errors of fields, in the order of their names.
func fieldProblems(list []fieldProblem, at string, errs any) []fieldProblem {
	switch errs := errs.(type) {
	case []say.Message:
		for _, m := range errs {
			code := m.Code()
			if code == "" {
				code = string(fault.Invalid)
			}
			list = append(list, fieldProblem{Pointer: at, Code: code, Detail: m, Params: m.Params()})
		}
	case fault.FieldErrors:
		for _, name := range slices.Sorted(maps.Keys(errs)) {
			inner := at
			if name != fault.NonField {
				inner += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			}
			list = fieldProblems(list, inner, errs[name])
		}
	case []fault.FieldErrors:
		for i, row := range errs {
			list = fieldProblems(list, at+"/"+strconv.Itoa(i), row)
		}
	}
	return list
}

// wantsProblem tells whether a caller would rather have errors as problems than in the interface's own shape. Whoever names both likes
// the one with the higher weight, and of two equal ones the one that stands first.
func wantsProblem(accept string) bool {
	problem, rank := preference(accept, TypeProblem)
	plain, before := preference(accept, decode.TypeJSON)
	return problem > plain || problem > 0 && problem == plain && rank < before
}

// preference is the weight, in thousandths, that an Accept header gives to a media type which it names, and the place where it does.
func preference(accept, media string) (weight, rank int) {
	for i, term := range strings.Split(accept, ",") {
		named, params, _ := strings.Cut(term, ";")
		if !strings.EqualFold(strings.TrimSpace(named), media) {
			continue
		}
		weight, rank = 1000, i
		for p := range strings.SplitSeq(params, ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(p), "="); ok && strings.EqualFold(name, "q") {
				q, err := strconv.ParseFloat(value, 64)
				if err != nil {
					q = 0
				}
				weight = int(q * 1000)
			}
		}
		return weight, rank
	}
	return 0, 0
}
