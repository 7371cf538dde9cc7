package gateway

import "strings"

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

// match finds the route of a request. A whole path wins over a prefix, a longer prefix over a shorter one, and a
// method over ANY; $default takes what nothing else matches. A slash at the end of the request's path is ignored when
// it is compared with a whole path.
func match(routes []Route, method, path string) (best Route, parameters map[string]string, found bool) {
	score := -1
	for _, r := range routes {
		if r.Method != "ANY" && r.Method != method && r.Path != defaultPath {
			continue
		}
		s, rest := fit(r.Path, path)
		if s < 0 {
			continue
		}
		if s = 2 * s; r.Method == method {
			s++
		}
		if s > score {
			best, parameters, score, found = r, nil, s, true
			if rest != "" {
				parameters = map[string]string{"proxy": rest}
			}
		}
	}
	return best, parameters, found
}

// fit tells how well a route's path matches a request's path; a higher score is a better match. rest is the value of
// the greedy parameter.
func fit(route, path string) (score int, rest string) {
	// A whole path scores more than any prefix.
	const whole = 1 << 20
	if route == defaultPath {
		return 0, ""
	}
	if prefix, ok := strings.CutSuffix(route, greedy); ok {
		if rest, ok := strings.CutPrefix(path, prefix+"/"); ok && rest != "" {
			return 1 + len(prefix), rest
		}
		return -1, ""
	}
	if path == route || path == route+"/" {
		return whole + len(route), ""
	}
	return -1, ""
}
