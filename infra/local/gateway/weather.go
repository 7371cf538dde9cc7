package gateway

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// Weather is what AWS's gateway does on some days only, and what a client has to bear. The zero value is a fine day.
//
// The gateway's own answers have no header of the platform: no X-Request-Id and no CORS, so a page in a browser can't
// read them.
type Weather struct {
	// Renames gives headers that API Gateway keeps for itself another name, X-Amzn-Remapped-Www-Authenticate. AWS
	// documents it for REST APIs; whether HTTP APIs do it is not documented.
	Renames bool
	// Throttles lets every so many requests exceed the stage's rate, which the gateway refuses before it asks anybody.
	Throttles int
	// Starves lets Lambda refuse every so many invocations of the authorizer, because all executions of the account are
	// taken. The client then gets a 500.
	Starves int
}

// renamed are the headers of answers that API Gateway renames.
var renamed = []string{"Www-Authenticate", "Server", "Date", "Connection"}

const renamedPrefix = "X-Amzn-Remapped-"

// ParseWeather reads weather as a flag writes it, such as "renames,throttles=20,starves=50".
func ParseWeather(text string) (w Weather, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, number, counted := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(number)
		switch {
		case part == "":
		case name == "renames" && !counted:
			w.Renames = true
		case name == "throttles" && err == nil && n > 0:
			w.Throttles = n
		case name == "starves" && err == nil && n > 0:
			w.Starves = n
		default:
			return Weather{}, fmt.Errorf("%q is no weather: renames, throttles=N and starves=N are, for each Nth request", part)
		}
	}
	return w, nil
}

// weather counts the requests that weather falls on.
type weather struct {
	now             func() Weather
	requests, asked atomic.Int64
}

func (w *weather) throttles() bool { return each(w.now().Throttles, &w.requests) }

func (w *weather) starves() bool { return each(w.now().Starves, &w.asked) }

func each(n int, count *atomic.Int64) bool { return n > 0 && count.Add(1)%int64(n) == 0 }

// rename gives the headers of a function's answer the names that the client sees.
func (w *weather) rename(headers map[string]string) {
	if !w.now().Renames {
		return
	}
	for name, value := range headers {
		for _, kept := range renamed {
			if http.CanonicalHeaderKey(name) == kept {
				delete(headers, name)
				headers[renamedPrefix+kept] = value
			}
		}
	}
}
