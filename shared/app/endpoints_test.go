package app

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/shared/keys"
)

// underSAM is an environment as `sam local` makes it: with the credentials of its caller.
func underSAM() map[string]string {
	v := valid()
	maps.Copy(v, map[string]string{
		"AWS_SAM_LOCAL": "true", "AWS_ACCESS_KEY_ID": "AKIACALLER", "AWS_SECRET_ACCESS_KEY": "the caller's", "AWS_SESSION_TOKEN": "his session",
	})
	for _, name := range Endpoints() {
		v[name] = "http://172.17.0.1:9/" + name
	}
	return v
}

func TestEndpoints(t *testing.T) {
	of := func(env Env, endpoint string) string { return aws.ToString(env.AWS(endpoint).BaseEndpoint) }
	env, err := from(valid())
	if err != nil || of(env, "SES_ENDPOINT") != "" || of(env, "SNS_ENDPOINT") != "" {
		t.Errorf("on AWS: %q, %q, %v", of(env, "SES_ENDPOINT"), of(env, "SNS_ENDPOINT"), err)
	}
	v := valid()
	v["SES_ENDPOINT"], v["SNS_ENDPOINT"] = "http://mail.test", "https://sms.test"
	if env, err = from(v); err != nil || of(env, "SES_ENDPOINT") != "http://mail.test" || of(env, "SNS_ENDPOINT") != "https://sms.test" {
		t.Errorf("elsewhere: %q, %q, %v", of(env, "SES_ENDPOINT"), of(env, "SNS_ENDPOINT"), err)
	}
	for _, name := range Endpoints() {
		for _, address := range []string{"mail.test:80", "ftp://mail.test", "http://a:b@mail.test", "http://", "http://mail.test/#x"} {
			v := valid()
			v[name] = address
			if _, err := from(v); err == nil || !strings.HasPrefix(err.Error(), "configuration: "+name+" is no address of http or https") {
				t.Errorf("%s=%s: %v", name, address, err)
			}
		}
	}
}

// broken is a client of KMS that gets no answer.
type broken struct{}

func (broken) PublicKey(context.Context, string) ([]byte, error) { return nil, errors.New("no answer") }

func (broken) Sign(context.Context, string, []byte) ([]byte, error) {
	return nil, errors.New("no answer")
}

func (broken) MAC(context.Context, string, []byte) ([]byte, error) {
	return nil, errors.New("no answer")
}

func TestKMSEndpoint(t *testing.T) {
	var config aws.Config
	kms := func(c aws.Config) func() keys.KMS { config = c; return func() keys.KMS { return broken{} } }
	v := valid()
	v["KMS_ENDPOINT"] = "http://172.17.0.1:9"
	for name, option := range map[string]Option{"keys": WithKeys(kms), "seal": WithSealKey(kms)} {
		config, v["SEAL_KEY"] = aws.Config{}, "key-5"
		env, err := FromEnvironment(func(name string) string { return v[name] }, option)
		if err != nil {
			t.Fatal(err)
		}
		if env.Keys != nil {
			_, _ = keys.Make(t.Context(), env.Keys, keys.Codes, []byte("m"))
		} else {
			_, _ = env.SealSigner(t.Context())
		}
		if got := aws.ToString(config.BaseEndpoint); got != "http://172.17.0.1:9" {
			t.Errorf("%s: KMS is asked at %q", name, got)
		}
	}
}

func TestLambdasOwnAddress(t *testing.T) {
	for region, want := range map[string]string{
		"eu-central-1": "https://lambda.eu-central-1.amazonaws.com",
		"cn-north-1":   "https://lambda.cn-north-1.amazonaws.com.cn",
	} {
		if got := (cloud{region: region}).lambda(); got != want {
			t.Errorf("%s: %s", region, got)
		}
	}
}

// A function of sam local that lacks an address would ask AWS, with the rights of whoever has started it.
func TestUnderSAMLocal(t *testing.T) {
	for _, name := range Endpoints() {
		for _, value := range []string{"true", "1", "anything"} {
			v := underSAM()
			v["AWS_SAM_LOCAL"], v[name] = value, ""
			if _, err := from(v); err == nil || err.Error() != "configuration: "+name+" is not set" {
				t.Errorf("without %s: %v", name, err)
			}
		}
	}
	v := underSAM()
	for _, name := range Endpoints() {
		delete(v, name)
	}
	if _, err := from(v); err == nil || err.Error() != "configuration: "+strings.Join(Endpoints(), " is not set; ")+" is not set" {
		t.Errorf("not everything that is missing: %v", err)
	}
	for _, nobodys := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "no variable at all"} {
		v := underSAM()
		delete(v, nobodys)
		env, err := from(v)
		if err != nil {
			t.Fatalf("without %s: %v", nobodys, err)
		}
		if env.Config.Scheme != "http" {
			t.Errorf("addresses begin with %s", env.Config.Scheme)
		}
		config := env.AWS("SES_ENDPOINT")
		got, err := config.Credentials.Retrieve(t.Context())
		if err != nil || config.Region != SAMRegion || got.AccessKeyID != SAMKey || got.SecretAccessKey != SAMKey || got.SessionToken != "" {
			t.Errorf("without %s: %s signs with %q, %q, %q, %v", nobodys, config.Region, got.AccessKeyID, got.SecretAccessKey, got.SessionToken, err)
		}
	}
}
