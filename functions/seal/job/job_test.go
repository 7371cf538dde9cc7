package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/seal/job"
)

func TestCall(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	request := job.Request{
		Tenant: 7, Output: uuid.UUID{1}, Original: job.Object{ID: uuid.UUID{2}, Version: "v1", SHA256: []byte{3}},
		Attachments: []job.Attachment{{Name: "sign-1.p7s", Object: job.Object{ID: uuid.UUID{4}, Version: "v2"}}},
		Record:      job.Record{Document: uuid.UUID{5}, Name: "Шарт №1", Signs: []job.Sign{{ID: 1, Stages: []job.Stage{{ID: 1, Stored: "\x01{}"}}}}},
		At:          at, Language: "kk", Level: job.LevelBT,
	}
	whole := job.Answer{Version: "v", SHA256: make([]byte, 32), Size: 9, Level: job.LevelBT, Time: &at}
	for name, c := range map[string]struct {
		answer any
		fails  error
		want   job.Answer
		err    bool
	}{
		"a sealed file":                 {answer: whole, want: whole},
		"a problem":                     {answer: job.Answer{Problem: job.Signed, Text: "It is."}, want: job.Answer{Problem: job.Signed, Text: "It is."}},
		"a function that fails":         {fails: errors.New("timeout"), err: true},
		"no JSON":                       {answer: 1, err: true},
		"an answer that names no file":  {answer: job.Answer{}, err: true},
		"an answer without a level":     {answer: job.Answer{Version: "v", SHA256: make([]byte, 32)}, err: true},
		"an answer with half a SHA-256": {answer: job.Answer{Version: "v", SHA256: make([]byte, 16), Level: job.LevelBB}, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := job.Call(t.Context(), func(_ context.Context, payload []byte) ([]byte, error) {
				var asked job.Request
				if err := json.Unmarshal(payload, &asked); err != nil || !reflect.DeepEqual(asked, request) {
					t.Errorf("asked %+v, %v", asked, err)
				}
				answer, err := json.Marshal(c.answer)
				return answer, errors.Join(err, c.fails)
			}, request)
			if (err != nil) != c.err || !c.err && !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
