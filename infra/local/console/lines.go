package console

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// mostLines is how many lines are kept: some MB.
const mostLines = 20_000

// Lines keeps the latest lines of the functions' log, which infra/operator counts as it counts those of a stage on AWS.
type Lines struct {
	mu   sync.Mutex
	kept []logged // a ring, once it is full
	next int
}

type logged struct {
	at   int64 // milliseconds
	line []byte
}

// Write keeps a line.
func (l *Lines) Write(line []byte) (int, error) {
	one := logged{time.Now().UnixMilli(), append(bytes.TrimRight(bytes.Clone(line), "\n"), '\n')}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) < mostLines {
		l.kept = append(l.kept, one)
	} else {
		l.kept[l.next] = one
		l.next = (l.next + 1) % mostLines
	}
	return len(line), nil
}

// between answers with the lines from a moment until before another, in milliseconds.
func (l *Lines) between(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	to, bad := strconv.ParseInt(r.URL.Query().Get("to"), 10, 64)
	if err != nil || bad != nil {
		http.Error(w, "from and to are milliseconds since 1970.", http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	kept := slices.Concat(l.kept[l.next:], l.kept[:l.next])
	l.mu.Unlock()
	w.Header().Set("Content-Type", "application/jsonl")
	for _, one := range kept {
		if one.at >= from && one.at < to && bytes.HasPrefix(one.line, []byte("{")) {
			if _, err := w.Write(one.line); err != nil {
				return
			}
		}
	}
}
