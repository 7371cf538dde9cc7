//go:build race

package conformance_test

// underRace tells whether the race detector is on.
const underRace = true
