// Package underrace tells tests whether the race detector is on, with which each step costs several times as much. A test whose many steps
// come one after the other takes some of them there, and all in `make test`; one whose functions answer from processes that aren't watched
// takes none. Tests of what runs at once never ask.
package underrace
