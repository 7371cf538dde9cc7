// Package awslambda calls functions over the API of AWS Lambda. It is apart from package invoke so that only functions
// that call others carry it.
//
// It writes the one request that is needed, because the SDK's client of Lambda adds 170 KB to the upload of each
// function that links it. The signer and the HTTP client are the SDK's.
//
// What never goes in here: anything but the call.
package awslambda

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/tenantry/tenantry/shared/invoke"
)

const (
	attempts  = 3
	firstWait = 200 * time.Millisecond // before the second attempt, at most; before the third twice that
	maxAnswer = 6<<20 + 100            // Lambda's own limit
)

// caller calls one function.
type caller struct {
	config   func() aws.Config
	endpoint string
	name     string
	wait     func(ctx context.Context, d time.Duration) error
}

// New returns a function at an endpoint of Lambda's API by its name or its ARN, with an alias or without. config has the region, the
// credentials and an HTTP client whose timeout is longer than the function's; it is called when it is first needed.
func New(config func() aws.Config, endpoint, name string) invoke.Function {
	return caller{sync.OnceValue(config), endpoint, name, wait}.call
}

func wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c caller) call(ctx context.Context, payload []byte) ([]byte, error) {
	for n := 1; ; n++ {
		answer, mayPass, err := c.once(ctx, payload)
		if err == nil {
			return answer, nil
		}
		var failed *invoke.Error
		if errors.As(err, &failed) {
			return nil, err
		}
		err = fmt.Errorf("invoke: %s: %w", c.name, err)
		if !mayPass || n == attempts {
			return nil, err
		}
		pause := rand.N(firstWait << (n - 1)) //nolint:gosec // whoever guesses it has nothing of it
		if ended := c.wait(ctx, pause); ended != nil {
			return nil, fmt.Errorf("%w: %w", err, ended)
		}
	}
}

// once makes one attempt. mayPass says of an error that another attempt may have none.
func (c caller) once(ctx context.Context, payload []byte) (answer []byte, mayPass bool, err error) {
	config := c.config()
	request, err := c.request(ctx, config, payload)
	if err != nil {
		return nil, false, err
	}
	response, err := config.HTTPClient.Do(request)
	if err != nil {
		return nil, true, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch status := response.StatusCode; {
	case err != nil:
		return nil, true, err
	case status != http.StatusOK:
		mayPass = status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
		return nil, mayPass, fmt.Errorf("lambda answers %s, %s: %.300s", response.Status, response.Header.Get("X-Amzn-Errortype"), answer)
	case response.Header.Get("X-Amz-Function-Error") != "":
		return nil, false, c.failed(answer)
	case len(answer) > maxAnswer:
		return nil, false, errors.New("the answer is larger than Lambda allows")
	}
	return answer, false, nil
}

func (c caller) request(ctx context.Context, config aws.Config, payload []byte) (*http.Request, error) {
	// Colons as the SDK's client sends and signs them.
	url := c.endpoint + "/2015-03-31/functions/" + strings.ReplaceAll(c.name, ":", "%3A") + "/invocations"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Amz-Invocation-Type", "RequestResponse")
	credentials, err := config.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	sum, now := sha256.Sum256(payload), time.Now() //nolint:forbidigo // AWS compares it with its own clock, and nothing else does
	return request, v4.NewSigner().SignHTTP(ctx, credentials, request, hex.EncodeToString(sum[:]), "lambda", config.Region, now)
}

// failed is the error that the function itself reported.
func (c caller) failed(body []byte) error {
	var told struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}
	if json.Unmarshal(body, &told) != nil {
		told.Message = fmt.Sprintf("%.300s", body)
	}
	return &invoke.Error{Function: c.name, Type: told.Type, Message: told.Message}
}
