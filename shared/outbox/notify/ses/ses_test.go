package ses_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"github.com/tenantry/tenantry/shared/outbox/notify"
	"github.com/tenantry/tenantry/shared/outbox/notify/ses"
)

// serve answers as SES does and keeps what it was sent.
func serve(t *testing.T, status int, answer string) (notify.Sender, *[]string) {
	t.Helper()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	config := aws.Config{
		Region: "eu-central-1", BaseEndpoint: aws.String(server.URL),
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
	return ses.New(config, "noreply@tenantry.test", func(o *sesv2.Options) { o.RetryMaxAttempts = 1 }), &got
}

func TestSend(t *testing.T) {
	sender, got := serve(t, http.StatusOK, `{"MessageId":"1"}`)
	m := notify.Message{ID: "01J", Channel: notify.Email, To: "a@b.test", Subject: "Тема", Text: "Text\n"}
	if err := sender.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	call, encoded, _ := strings.Cut((*got)[0], "{")
	if call != "POST /v2/email/outbound-emails " || len(*got) != 1 {
		t.Errorf("calls %q", *got)
	}
	var sent any
	if err := json.Unmarshal([]byte("{"+encoded), &sent); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(sent) // with its keys in order
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Content":{"Simple":{"Body":{"Text":{"Charset":"UTF-8","Data":"Text\n"}},"Subject":{"Charset":"UTF-8","Data":"Тема"}}},` +
		`"Destination":{"ToAddresses":["a@b.test"]},"EmailTags":[{"Name":"message","Value":"01J"}],"FromEmailAddress":"noreply@tenantry.test"}`
	if string(back) != want {
		t.Errorf("sent\n%s\nwant\n%s", back, want)
	}
}

func TestRefusedBySES(t *testing.T) {
	sender, _ := serve(t, http.StatusBadRequest, `{"message":"no"}`)
	err := sender.Send(t.Context(), notify.Message{ID: "01J", Channel: notify.Email, To: "a@b.test", Text: "123456"})
	if err == nil || !strings.Contains(err.Error(), "01J") || strings.Contains(err.Error(), "123456") {
		t.Errorf("error %v: it has to name the message and not to tell its text", err)
	}
}

func TestOtherChannels(t *testing.T) {
	sender, got := serve(t, http.StatusOK, `{}`)
	if err := sender.Send(t.Context(), notify.Message{ID: "01J", Channel: notify.SMS, To: "+77011234567"}); err == nil || len(*got) > 0 {
		t.Errorf("an SMS was sent as an e-mail: %v, %v", err, *got)
	}
}
