package gateway

import (
	"cmp"
	"strings"
)

const (
	defaultPath = "$default"
	greedy      = "/{proxy+}"
)

// key is the route as an event names it.
func (r Route) key() string {
	if r.Path == defaultPath {
		return defaultPath
	}
	return r.Method + " " + r.Path
}

// match finds the route of a request. A whole path wins over a prefix; of two whole paths, or two prefixes, the one that
// has a literal where the other has a parameter, or goes on where the other ends; then a method over ANY. $default takes
// what nothing else matches. A slash at the end of the request's path is ignored when it is compared with a whole path.
func match(routes []Route, method, path string) (best Route, parameters map[string]string, found bool) {
	var highest string
	for _, r := range routes {
		if r.Method != "ANY" && r.Method != method && r.Path != defaultPath {
			continue
		}
		rank, values, ok := fit(r.Path, path)
		if !ok {
			continue
		}
		if better := cmp.Compare(rank, highest); found && (better < 0 || better == 0 && r.Method != method) {
			continue
		}
		best, parameters, highest, found = r, values, rank, true
	}
	return best, parameters, found
}

// What the ranks of routes are made of: the higher is the better match.
const (
	rankDefault   = "0"
	rankPrefix    = "1"
	rankWhole     = "2"
	rankParameter = "a"
	rankLiteral   = "b"
)

// fit tells whether a route's path matches a request's path, how well, and the values of its parameters.
func fit(route, path string) (rank string, parameters map[string]string, ok bool) {
	if route == defaultPath {
		return rankDefault, nil, true
	}
	prefix, isPrefix := strings.CutSuffix(route, greedy)
	wanted, given := strings.Split(prefix, "/"), strings.Split(path, "/")
	rest := ""
	switch {
	case isPrefix && len(given) > len(wanted):
		rank, rest = rankPrefix, strings.Join(given[len(wanted):], "/")
	case !isPrefix:
		rank, given = rankWhole, strings.Split(strings.TrimSuffix(path, "/"), "/")
	}
	if isPrefix && rest == "" || !isPrefix && len(given) != len(wanted) {
		return "", nil, false
	}
	values := map[string]string{}
	for i, segment := range wanted {
		name, isParameter := strings.CutPrefix(segment, "{")
		switch {
		case isParameter && given[i] != "":
			rank += rankParameter
			values[strings.TrimSuffix(name, "}")] = given[i]
		case !isParameter && given[i] == segment:
			rank += rankLiteral
		default:
			return "", nil, false
		}
	}
	if isPrefix {
		values["proxy"] = rest
	}
	if len(values) == 0 {
		values = nil
	}
	return rank, values, true
}
