package nca_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
)

// network calls a responder by HTTP.
type network struct{ t *testing.T }

func (n network) Post(ctx context.Context, address, mediaType string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", mediaType)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("Content-Type"); got != "application/ocsp-response" {
		n.t.Errorf("the answer is %s", got)
	}
	return io.ReadAll(answer.Body)
}

func (n network) Get(context.Context, string) ([]byte, error) {
	n.t.Error("something is fetched")
	return nil, errors.New("nothing is here")
}
