package allowance

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// low is the part of an allowance from which on answers tell what is left of it: a fifth.
const low = 5

// Header returns the values of RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers) for the answer
// of a request that has drawn. They name the allowances of which less than a fifth is left, in read units; both are empty if
// there are none. t is when something is left again, where nothing is, and otherwise when all of it is there.
func (r *Request) Header() (policy, limit string) {
	r.mu.Lock()
	drawn := r.drawn
	r.mu.Unlock()
	if !drawn {
		return "", ""
	}
	var policies, limits []string
	for _, of := range r.of {
		left, after := r.buckets.Left(of)
		if left >= max(1, of.Tokens/low) {
			continue
		}
		policies = append(policies, fmt.Sprintf("%q;q=%.0f;w=%d", of.Name, of.Tokens, int(Window.Seconds())))
		limits = append(limits, fmt.Sprintf("%q;r=%.0f;t=%d", of.Name, math.Floor(max(0, left)), seconds(after)))
	}
	return strings.Join(policies, ", "), strings.Join(limits, ", ")
}

// seconds rounds a time up, as Retry-After does.
func seconds(d time.Duration) int { return int(max(1, math.Ceil(d.Seconds()))) }
