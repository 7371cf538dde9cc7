package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/spelling"
)

// The preference of RFC 7240 by which unknown query parameters are refused. Without it they are ignored.
const (
	preferHeader  = "Prefer"
	appliedHeader = "Preference-Applied"
	handling      = "handling"
	strict        = "strict"
)

// isStrict tells whether a request prefers strict handling. Of a preference that is named several times the first one counts.
func isStrict(h http.Header) bool {
	for term := range strings.SplitSeq(strings.Join(h.Values(preferHeader), ","), ",") {
		preference, _, _ := strings.Cut(term, ";")
		name, value, _ := strings.Cut(preference, "=")
		if strings.EqualFold(strings.TrimSpace(name), handling) {
			return strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"`), strict)
		}
	}
	return false
}

// parameters are the names of an operation's query parameters that every company has.
func (o Operation) parameters() (names []string) {
	for i := range o.Input.NumField() {
		if name := o.Input.Field(i).Tag.Get("query"); name != "" {
			names = append(names, name)
		}
	}
	for _, p := range o.Query {
		if p.Names == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// declared are the query parameters of a request that its operation declares. A handler gets no others, so what is refused
// as unknown is nothing that could have had an effect.
func (o Operation) declared(sent url.Values) url.Values {
	known := o.parameters()
	query := url.Values{}
	for name, values := range sent {
		if slices.Contains(known, name) || slices.ContainsFunc(o.Query, func(p Param) bool { return p.begins(name) }) {
			query[name] = values
		}
	}
	return query
}

// begins tells whether a parameter may be one of those that p stands for.
func (p Param) begins(name string) bool { return p.Names != nil && strings.HasPrefix(name, p.Name) }

// refuseUnknown refuses the query parameters of a request that its operation does not have. What a company has defined is
// read only for a request that may name it.
func (o Operation) refuseUnknown(ctx context.Context, r *Request) error {
	known := o.parameters()
	for _, p := range o.Query {
		if p.Names == nil || !r.Asks(p.Name) {
			continue
		}
		names, err := p.Names(ctx, r)
		if err != nil {
			return err
		}
		known = append(known, names...)
	}
	errs := fault.FieldErrors{}
	for name := range r.query {
		if slices.Contains(known, name) {
			continue
		}
		message := say.UnknownParameter
		if near := spelling.Nearest(name, known); near != "" {
			message = say.UnknownParameterLike(near)
		}
		errs.Add(name, message)
	}
	return errs.Err()
}
