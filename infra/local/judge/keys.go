package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/tenantry/tenantry/infra/local/policy"
)

// asked is under what the body of a request is found that makes a key.
type asked struct{}

// remember has the policy known of a key that a request makes, once it is made.
func remember(r *http.Request, body []byte) *http.Request {
	if r.Header.Get("X-Amz-Target") != "TrentService.CreateKey" {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), asked{}, body))
}

// made learns the policy of a key that an answer tells of. One that was made without a policy is unknown, and so it is denied.
func (j *Judge) made(answer *http.Response) error {
	body, making := answer.Request.Context().Value(asked{}).([]byte)
	if !making || answer.StatusCode != http.StatusOK {
		return nil
	}
	said, err := io.ReadAll(io.LimitReader(answer.Body, longest))
	if err != nil {
		return err
	}
	answer.Body = io.NopCloser(bytes.NewReader(said))
	var in struct{ Policy string }
	var out struct{ KeyMetadata struct{ Arn string } }
	var tree any
	if err := json.Unmarshal(said, &out); err != nil {
		return err
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Policy == "" {
		return err
	}
	if err := json.Unmarshal([]byte(in.Policy), &tree); err != nil {
		return fmt.Errorf("judge: the policy of %s: %w", out.KeyMetadata.Arn, err)
	}
	d, err := policy.Parse(out.KeyMetadata.Arn, policy.OfResource, tree)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.resources[out.KeyMetadata.Arn] = &d
	return nil
}
