package job

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestCall(t *testing.T) {
	sum := `"` + strings.Repeat("A", 43) + `="`
	for _, c := range []struct {
		name, answer string
		fails        bool
		problem      string
	}{
		{"a PDF", `{"sha256":` + sum + `,"size":10,"pages":1}`, false, ""},
		{"a problem", `{"problem":"not_pdf","text":"That is no PDF."}`, false, NotPDF},
		{"neither", `{}`, true, ""},
		{"a PDF without pages", `{"sha256":` + sum + `,"size":10}`, true, ""},
		{"a short hash", `{"sha256":"AAAA","size":10,"pages":1}`, true, ""},
		{"no JSON", `<html>`, true, ""},
		{"an error", "", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := Request{Tenant: 7, Kind: HTML, In: uuid.UUID{1}, Out: uuid.UUID{2}}
			got, err := Call(t.Context(), func(_ context.Context, payload []byte) ([]byte, error) {
				var r Request
				if err := json.Unmarshal(payload, &r); err != nil || r != sent {
					t.Errorf("render got %s: %v", payload, err)
				}
				if c.answer == "" {
					return nil, errors.New("it timed out")
				}
				return []byte(c.answer), nil
			}, sent)
			if (err != nil) != c.fails || got.Problem != c.problem {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
