package gateway

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// answer is what the client gets.
type answer struct {
	status  int
	headers map[string]string
	cookies []string
	body    []byte
}

// message is an answer that the gateway itself makes. Its shape is fixed, because on AWS it can't be changed either.
func message(status int, text string) answer {
	return answer{
		status:  status,
		headers: map[string]string{"Content-Type": "application/json"},
		body:    []byte(`{"message":"` + text + `"}`),
	}
}

func internal() answer { return message(http.StatusInternalServerError, "Internal Server Error") }

// parseAnswer reads a function's answer in payload format 2.0. If the answer has no status code, all of it becomes the
// body of a 200, whether it is valid JSON or not; of a JSON string the body is the text. An answer in the format that
// is not valid becomes a 500.
func parseAnswer(result []byte) answer {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(result, &fields)
	if _, ok := fields["statusCode"]; !ok {
		var text string
		if json.Unmarshal(result, &text) == nil && strings.HasPrefix(strings.TrimSpace(string(result)), `"`) {
			result = []byte(text)
		}
		return answer{status: http.StatusOK, headers: map[string]string{"Content-Type": "application/json"}, body: result}
	}
	var proxy struct {
		StatusCode      int            `json:"statusCode"`
		Headers         map[string]any `json:"headers"`
		Cookies         []string       `json:"cookies"`
		Body            string         `json:"body"`
		IsBase64Encoded bool           `json:"isBase64Encoded"`
	}
	if json.Unmarshal(result, &proxy) != nil || proxy.StatusCode < 200 || proxy.StatusCode > 599 {
		return internal()
	}
	a := answer{status: proxy.StatusCode, headers: map[string]string{}, cookies: proxy.Cookies, body: []byte(proxy.Body)}
	for name, value := range proxy.Headers {
		switch v := value.(type) {
		case string:
			a.headers[name] = v
		case bool:
			a.headers[name] = strconv.FormatBool(v)
		case float64:
			a.headers[name] = strconv.FormatFloat(v, 'f', -1, 64)
		case nil:
		default:
			return internal()
		}
	}
	if proxy.IsBase64Encoded {
		var err error
		if a.body, err = base64.StdEncoding.DecodeString(proxy.Body); err != nil {
			return internal()
		}
	}
	return a
}

func (a answer) write(w http.ResponseWriter, method string) {
	h := w.Header()
	for name, value := range a.headers {
		h.Set(name, value)
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}
	for _, cookie := range a.cookies {
		h.Add("Set-Cookie", cookie)
	}
	bodyless := a.status == http.StatusNoContent || a.status == http.StatusNotModified
	if bodyless {
		h.Del("Content-Length")
	} else if method != http.MethodHead || h.Get("Content-Length") == "" {
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	if !bodyless && method != http.MethodHead {
		// Write fails only if the client is gone.
		_, _ = w.Write(a.body)
	}
}
