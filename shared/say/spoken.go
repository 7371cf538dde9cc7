package say

import (
	"bytes"
	"encoding/json"
	"time"
)

// neutral is how a JSON text begins that is a message.
var neutral = []byte(`"\u0000`)

// Neutral tells whether JSON holds messages that are not yet said in a language.
func Neutral(body []byte) bool { return bytes.Contains(body, neutral) }

// Spoken is JSON with each message said in a language. Moments in words are in the zone, which is asked for only where there is one; nil
// is UTC. JSON without messages is returned as it is.
func Spoken(body []byte, language Language, zone func() *time.Location) []byte {
	at := bytes.Index(body, neutral)
	if at < 0 {
		return body
	}
	by := voice{language, zone}
	out := make([]byte, 0, len(body)+len(body)/2)
	for at >= 0 {
		end := at + closing(body[at:])
		out = append(out, body[:at]...)
		out = append(out, said(body[at:end], by)...)
		body = body[end:]
		at = bytes.Index(body, neutral)
	}
	return append(out, body...)
}

// said is a JSON text that is a message, as a voice says it.
func said(text []byte, by voice) []byte {
	var m Message
	if json.Unmarshal(text, &m) == nil && m.ID() != "" {
		return appendText(nil, m.by(by))
	}
	return text
}

// closing is where the JSON text ends that begins with the first byte.
func closing(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
