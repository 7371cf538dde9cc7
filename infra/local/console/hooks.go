package console

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/functions/webhooks/signature"
)

// What the receiver can be told to do with a delivery, besides answering a status.
const (
	hang   = "hang"   // hold the connection until the other side closes it
	vanish = "vanish" // close it
)

// answers are all that it can be told.
func answers() []string { return []string{"204", "500", "410", hang, vanish} }

const (
	kept      = 100             // deliveries
	largest   = 1 << 20         // bytes of a body
	tolerance = 5 * time.Minute // by which the time of an attempt may differ from ours, as for the verifiers of the specification
)

// Delivery is what has come to the receiver.
type Delivery struct {
	Number   int       `json:"number"` // counts all that came
	At       time.Time `json:"at"`
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Verified bool      `json:"verified"`
	Problem  string    `json:"problem"` // why it is not verified
	Answer   string    `json:"answer"`  // what was done with it
	Times    int       `json:"times"`   // how often its id has come, among those that are kept
	Headers  string    `json:"headers"`
	Body     string    `json:"body"`
}

// Hooks is a receiver of webhooks. It verifies what comes, keeps the last of it, and answers as it is told.
type Hooks struct {
	known func(ctx context.Context, id string) []string
	now   func() time.Time
	ends  chan struct{}
	end   func()

	mu         sync.Mutex
	answer     string
	pasted     []string   // secrets
	deliveries []Delivery // oldest first
	count      int
}

// NewHooks makes a receiver that answers 204. known returns the secrets that may have signed the delivery of an id, besides those that the
// page is given; nil means that none is known.
func NewHooks(known func(ctx context.Context, id string) []string) *Hooks {
	h := &Hooks{known: known, now: time.Now, ends: make(chan struct{}), answer: answers()[0]}
	h.end = sync.OnceFunc(func() { close(h.ends) })
	return h
}

// Close lets go of what hangs.
func (h *Hooks) Close() { h.end() }

// receive takes a delivery.
func (h *Hooks) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		detail(w, http.StatusRequestEntityTooLarge, "The body is too large.")
		return
	} else if err != nil {
		return // its sender is gone
	}
	switch does := h.keep(r, body); does {
	case hang:
		select {
		case <-r.Context().Done():
		case <-h.ends:
		}
		panic(http.ErrAbortHandler)
	case vanish:
		panic(http.ErrAbortHandler) // closes the connection
	default:
		status, _ := strconv.Atoi(does) // it is one of answers
		w.WriteHeader(status)
	}
}

// keep keeps a delivery, and returns what to do with it.
func (h *Hooks) keep(r *http.Request, body []byte) (does string) {
	d := Delivery{At: h.now().UTC().Truncate(time.Millisecond), ID: r.Header.Get(signature.ID), Body: string(body), Times: 1}
	var of struct{ Type string }
	if err := json.Unmarshal(body, &of); err == nil {
		d.Type = of.Type
	}
	headers := new(bytes.Buffer)
	_ = r.Header.Write(headers) // a buffer takes all
	d.Headers = strings.TrimSpace(strings.ReplaceAll(headers.String(), "\r\n", "\n"))
	var secrets []string
	if h.known != nil {
		secrets = h.known(r.Context(), d.ID)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	d.Problem = verify(append(secrets, h.pasted...), r.Header, body, h.now())
	d.Verified = d.Problem == ""
	for _, before := range h.deliveries {
		if before.ID == d.ID && d.ID != "" {
			d.Times++
		}
	}
	h.count++
	d.Number, d.Answer = h.count, h.answer
	h.deliveries = append(h.deliveries, d)
	h.deliveries = h.deliveries[max(0, len(h.deliveries)-kept):]
	return h.answer
}

// verify returns what is wrong with a delivery, or nothing if one of the secrets has signed it now.
func verify(secrets []string, headers http.Header, body []byte, now time.Time) (problem string) {
	if len(secrets) == 0 {
		return "no secret is known"
	}
	stamp, err := strconv.ParseInt(headers.Get(signature.Timestamp), 10, 64)
	if err != nil {
		return "the time of the attempt is no number"
	}
	at := time.Unix(stamp, 0)
	signed := strings.Fields(headers.Get(signature.Signature))
	for _, secret := range secrets {
		raw, err := decode(secret)
		if err != nil {
			continue // the other secrets may be right
		}
		want := signature.Headers([][]byte{raw}, headers.Get(signature.ID), at, body)[signature.Signature]
		if !slices.ContainsFunc(signed, func(s string) bool { return hmac.Equal([]byte(s), []byte(want)) }) {
			continue
		}
		if late := now.Sub(at).Abs(); late > tolerance {
			return fmt.Sprintf("the attempt was signed for %s", at.UTC().Format(time.RFC3339))
		}
		return ""
	}
	return "no known secret has signed it"
}

// decode returns the bytes of a secret, as people see it.
func decode(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(raw) == 0 {
		return nil, errors.New("a secret is whsec_ and base64")
	}
	return raw, nil
}

// received is what the receiver does, and what has come.
type received struct {
	Answer     string     `json:"answer"`
	Answers    []string   `json:"answers"`    // all that it can be told
	Secrets    int        `json:"secrets"`    // how many were pasted
	Newest     int        `json:"newest"`     // the number of the newest delivery, 0 if there is none
	Deliveries []Delivery `json:"deliveries"` // newest first
}

// list returns the deliveries with a higher number, newest first.
func (h *Hooks) list(after int) received {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := received{Answer: h.answer, Answers: answers(), Secrets: len(h.pasted), Newest: h.count, Deliveries: []Delivery{}}
	for _, d := range slices.Backward(h.deliveries) {
		if d.Number > after {
			list.Deliveries = append(list.Deliveries, d)
		}
	}
	return list
}

// told is what the receiver is told. What is left out stays as it is.
type told struct {
	Answer  *string   `json:"answer"`
	Secrets *[]string `json:"secrets"`
}

// tell takes what the receiver is to do, and the secrets that the page's user knows.
func (h *Hooks) tell(w http.ResponseWriter, r *http.Request) {
	var t told
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16))
	in.DisallowUnknownFields()
	if err := in.Decode(&t); err != nil {
		detail(w, http.StatusBadRequest, "A JSON object with an answer, or secrets, or both, is expected.")
		return
	}
	if t.Answer != nil && !slices.Contains(answers(), *t.Answer) {
		detail(w, http.StatusBadRequest, "The answer is one of: "+strings.Join(answers(), ", ")+".")
		return
	}
	if t.Secrets != nil {
		for _, secret := range *t.Secrets {
			if _, err := decode(secret); err != nil {
				detail(w, http.StatusBadRequest, "A secret is whsec_ and base64.")
				return
			}
		}
	}
	h.mu.Lock()
	if t.Answer != nil {
		h.answer = *t.Answer
	}
	if t.Secrets != nil {
		h.pasted = *t.Secrets
	}
	h.mu.Unlock()
	answer(w, http.StatusOK, h.list(math.MaxInt))
}

// hooks tells the receiver what to do, or answers what it does and what has come.
func (k *console) hooks(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		k.config.Hooks.tell(w, r)
		return
	}
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		after = 0
	}
	answer(w, http.StatusOK, k.config.Hooks.list(after))
}
