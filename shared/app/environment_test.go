package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tenantry/tenantry/shared/invoke"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/allowance"
	"github.com/tenantry/tenantry/shared/table/tokenbucket"
)

func valid() map[string]string {
	return map[string]string{
		"STAGE": "test", "TABLE_NAME": "table", "BUCKET_NAME": "bucket", "SIGNING_KEYS": "key-1,key-2", "CODE_KEYS": "key-3",
		"REFRESH_KEYS": "key-5,key-3", "CHAIN_KEYS": "key-4", "HOOK_KEYS": "key-6",
		"PLATFORM_DOMAIN": "tenantry.test", "CORS_ORIGINS": "https://App.example.com:443, http://localhost:5173",
		"ACCESS_TOKEN_LIFETIME": "1h", "REFRESH_TOKEN_LIFETIME": "720h", "MAIL_FROM": "noreply@tenantry.test",
		"LANGUAGES":     "ru, en,ru",
		"SEARCH_MEMORY": "128", "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
	}
}

func from(variables map[string]string) (Env, error) {
	return FromEnvironment(func(name string) string { return variables[name] }, WithKeys(noKMS))
}

func TestAValidEnvironment(t *testing.T) {
	v := valid()
	v["COMPANY_READ_ALLOWANCE"] = "960000"
	v["HOOKS_QUEUE"] = "https://sqs.test/hooks"
	v["CALLER_REQUEST_RATE"], v["CALLER_REQUEST_BURST"], v["COMPANY_REQUEST_RATE"] = "20", "100", "0"
	env, err := from(v)
	if err != nil {
		t.Fatal(err)
	}
	c := env.Config
	if c.Stage != "test" || c.PlatformDomain != "tenantry.test" || c.Scheme != "https" || c.MailFrom != "noreply@tenantry.test" ||
		c.AccessLifetime != time.Hour || c.RefreshLifetime != 720*time.Hour || c.ServerTiming {
		t.Errorf("%+v", c)
	}
	if c.Allowance != (allowance.Limits{Company: 960000}) {
		t.Errorf("%+v: a limit that isn't set is none", c.Allowance)
	}
	if c.CallerRate != (tokenbucket.Rate{PerSecond: 20, Burst: 100}) || c.CompanyRate != (tokenbucket.Rate{}) {
		t.Errorf("%+v, %+v: a rate that isn't set is none", c.CallerRate, c.CompanyRate)
	}
	if c.Queues != (Queues{Hooks: "https://sqs.test/hooks"}) || c.LoopbackHooks {
		t.Errorf("%+v, %t", c.Queues, c.LoopbackHooks)
	}
	if c.SearchMemory != 128<<20 {
		t.Errorf("%d bytes are 128 MB", c.SearchMemory)
	}
	if got := strings.Join(c.Origins, " "); got != "https://app.example.com http://localhost:5173" {
		t.Errorf("origins %q", got)
	}
	if !slices.Equal(c.Languages, []say.Language{say.Russian, say.English}) {
		t.Errorf("languages %q", c.Languages)
	}
	if env.Table == nil || env.Files == nil || env.Keys == nil || env.Log != os.Stdout || env.Notify != nil {
		t.Errorf("%+v", env)
	}
	if a, b := env.NewUUID(), env.NewUUID(); a == b || time.Since(env.Now()) > time.Minute {
		t.Error("uuids or the time stand still")
	}
	if who, err := env.AWS("SES_ENDPOINT").Credentials.Retrieve(t.Context()); err != nil || who.AccessKeyID != "id" ||
		env.AWS("SES_ENDPOINT").Region != "eu-central-1" {
		t.Errorf("%+v, %v", who, err)
	}
}

// noKMS is a client of KMS that is never needed here.
func noKMS(aws.Config) func() keys.KMS { return func() keys.KMS { return nil } }

func TestSealAndNCA(t *testing.T) {
	v := valid()
	maps.Copy(v, map[string]string{
		"SEAL_KEY": "key-5", "SEAL_CHAIN": "-----BEGIN …", "TIME_STAMP_URL": "http://tsa.test/rfc3161", "TIME_STAMP_ROOTS": "00,01",
		"NCA_ROOTS": "https://nca.test/root.cer 00", "NCA_OCSP": "http://ocsp.test,https://ocsp2.test/", "SIGNING_LINK_DAYS": "90",
	})
	sealing := func(v map[string]string) (Env, error) {
		return FromEnvironment(func(name string) string { return v[name] }, WithSealKey(noKMS))
	}
	env, err := sealing(v)
	if err != nil {
		t.Fatal(err)
	}
	if got := env.Config.Seal; got != (Seal{"-----BEGIN …", "http://tsa.test/rfc3161", "00,01"}) {
		t.Errorf("%+v", got)
	}
	if got := env.Config.NCA; got.Roots != "https://nca.test/root.cer 00" || strings.Join(got.OCSP, " ") != "http://ocsp.test https://ocsp2.test/" {
		t.Errorf("%+v", got)
	}
	if got := env.Config.LinkLife; got != 90*24*time.Hour {
		t.Errorf("links live %v", got)
	}
	if env.SealSigner == nil {
		t.Error("no key that seals")
	}
	for name, address := range map[string]string{
		"TIME_STAMP_URL": "ldap://tsa.test", "NCA_OCSP": "http://ocsp.test,ocsp2.test", "KEYS_FILE": "/dev/null/keys.json",
		"SIGNING_LINK_DAYS": "3651",
	} {
		wrong := maps.Clone(v)
		wrong[name] = address
		if _, err := sealing(wrong); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is %s: %v", name, address, err)
		}
	}
	if env, err = from(v); err != nil || env.SealSigner != nil {
		t.Errorf("a function that is not linked with the key has it (%v)", err)
	}
	// Locally the key follows from the file's secret. A function without SEAL_KEY never has it.
	v["KEYS_FILE"] = filepath.Join(t.TempDir(), "keys.json")
	if env, err = sealing(v); err != nil || env.SealSigner == nil {
		t.Fatal(err)
	}
	if _, err := env.SealSigner(t.Context()); err != nil {
		t.Error(err)
	}
	delete(v, "SEAL_KEY")
	if env, err = sealing(v); err != nil || env.SealSigner != nil {
		t.Errorf("a function without the key has it (%v)", err)
	}
}

// Which functions are called says the environment, and whether any can be, what is linked.
func TestCalls(t *testing.T) {
	var called []string
	calls := WithCalls(func(config func() aws.Config, endpoint, name string) invoke.Function {
		called = append(called, endpoint+" "+name)
		return func(context.Context, []byte) ([]byte, error) { return []byte(config().Region), nil }
	})
	for name, row := range map[string]struct {
		variables map[string]string
		options   []Option
		called    string
		wrong     string
	}{
		"none":          {nil, []Option{calls}, "", ""},
		"one":           {map[string]string{"RENDER_FUNCTION": "render"}, []Option{calls}, "https://lambda.test render", ""},
		"both":          {map[string]string{"RENDER_FUNCTION": "render", "SEAL_FUNCTION": "seal"}, []Option{calls}, "https://lambda.test render,https://lambda.test seal", ""},
		"another":       {map[string]string{"SHOW_FUNCTION": "show"}, []Option{calls}, "https://lambda.test show", ""},
		"not linked":    {map[string]string{"RENDER_FUNCTION": "render"}, nil, "", ""},
		"on AWS":        {map[string]string{"SEAL_FUNCTION": "seal", "LAMBDA_ENDPOINT": ""}, []Option{calls}, "https://lambda.eu-central-1.amazonaws.com seal", ""},
		"a container's": {map[string]string{"SEAL_FUNCTION": "seal", "LAMBDA_ENDPOINT": "http://172.17.0.1:9"}, []Option{calls}, "http://172.17.0.1:9 seal", ""},
		"no endpoint":   {map[string]string{"SEAL_FUNCTION": "seal", "LAMBDA_ENDPOINT": "lambda"}, []Option{calls}, "", "LAMBDA_ENDPOINT is no address of http or https"},
	} {
		t.Run(name, func(t *testing.T) {
			called = nil
			v := valid()
			v["LAMBDA_ENDPOINT"] = "https://lambda.test"
			maps.Copy(v, row.variables)
			env, err := FromEnvironment(func(name string) string { return v[name] }, row.options...)
			if row.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), row.wrong) {
					t.Errorf("error %v, want %q", err, row.wrong)
				}
				return
			}
			if err != nil || strings.Join(called, ",") != row.called {
				t.Fatalf("%v, %v", called, err)
			}
			for callee, f := range map[string]invoke.Function{"render": env.Render, "seal": env.Seal, "show": env.Show} {
				if want := strings.Contains(row.called, " "+callee); (f != nil) != want {
					t.Errorf("%s: %t", callee, f != nil)
					continue
				}
				if f == nil {
					continue
				}
				if region, err := (*env.Callee(callee))(t.Context(), nil); err != nil || string(region) != "eu-central-1" {
					t.Errorf("%s: %s, %v", callee, region, err)
				}
			}
		})
	}
	if new(Env).Callee("press") != nil {
		t.Error("anything can be called")
	}
}

// A function that is not linked with KMS has no keys, and is not asked for any.
func TestWithoutKeys(t *testing.T) {
	v := valid()
	delete(v, "SIGNING_KEYS")
	delete(v, "CODE_KEYS")
	delete(v, "REFRESH_KEYS")
	delete(v, "CHAIN_KEYS")
	delete(v, "HOOK_KEYS")
	env, err := FromEnvironment(func(name string) string { return v[name] })
	if err != nil || env.Keys != nil {
		t.Fatalf("%v, %v", env.Keys, err)
	}
}

func TestKeysFromAFile(t *testing.T) {
	v := valid()
	delete(v, "SIGNING_KEYS")
	delete(v, "CODE_KEYS")
	delete(v, "REFRESH_KEYS")
	delete(v, "CHAIN_KEYS")
	delete(v, "HOOK_KEYS")
	v["KEYS_FILE"] = filepath.Join(t.TempDir(), "keys.json")
	env, err := from(v)
	if err != nil {
		t.Fatal(err)
	}
	if set, err := env.Keys.Set(t.Context()); err != nil || !strings.Contains(string(set), "ES256") {
		t.Fatalf("%s, %v", set, err)
	}
	v["KEYS_FILE"] = t.TempDir()
	if _, err := from(v); err == nil || !strings.Contains(err.Error(), "KEYS_FILE") {
		t.Fatalf("a folder for a file: %v", err)
	}
}

func TestViewers(t *testing.T) {
	v := valid()
	if env, err := from(v); err != nil || len(env.Config.Viewers) != 0 {
		t.Errorf("%v, %v", env.Config.Viewers, err)
	}
	v["CLOUDFRONT_SECRETS"] = fmt.Sprintf("%x,%x", sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two")))
	env, err := from(v)
	for _, secret := range []string{"one", "two"} {
		headers := map[string]string{"x-origin-secret": secret, "cloudfront-viewer-address": "198.51.100.1:443"}
		if got := env.Config.Viewers.Address(headers, "203.0.113.1"); err != nil || got != "198.51.100.1" {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func TestWhatCanNotWork(t *testing.T) {
	for name := range valid() {
		if name == "CORS_ORIGINS" || name == "LANGUAGES" {
			continue
		}
		v := valid()
		delete(v, name)
		if _, err := from(v); err == nil || err.Error() != "configuration: "+name+" is not set" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	rate := valid()
	rate["COMPANY_REQUEST_RATE"] = "50"
	if _, err := from(rate); err == nil || err.Error() != "configuration: COMPANY_REQUEST_BURST is not set, and COMPANY_REQUEST_RATE is" {
		t.Errorf("a rate without a burst: %v", err)
	}
	for _, c := range []struct{ name, value string }{
		{"ACCESS_TOKEN_LIFETIME", "1 hour"},
		{"ACCESS_TOKEN_LIFETIME", "-1h"},
		{"REFRESH_TOKEN_LIFETIME", "0s"},
		{"PLATFORM_DOMAIN", "Tenantry.test"},
		{"PLATFORM_DOMAIN", "localhost"},
		{"PLATFORM_DOMAIN", "https://tenantry.test"},
		{"CORS_ORIGINS", "app.example.com"},
		{"CORS_ORIGINS", "https://app.example.com/path"},
		{"CORS_ORIGINS", "ftp://app.example.com"},
		{"CORS_ORIGINS", "https://"},
		{"CORS_ORIGINS", "https://app.example.com?x"},
		{"LANGUAGES", "de"},
		{"LANGUAGES", "ru,"},
		{"MAIL_FROM", "Tenantry <noreply@tenantry.test>"},
		{"MAIL_FROM", "noreply"},
		{"WEB_CLIENT", "app.example.com"},
		{"WEB_CLIENT", "http://{host}/"},
		{"WEB_CLIENT", "https://{company}/"},
		{"WEB_CLIENT", "https://{host}/#/"},
		{"WEB_CLIENT", "https://{host}/ X: y"},
		{"USER_READ_ALLOWANCE", "1e6"},
		{"COMPANY_READ_ALLOWANCE", "-1"},
		{"COMPANY_REQUEST_RATE", "50/s"},
		{"CALLER_REQUEST_RATE", "-1"},
		{"SEARCH_MEMORY", "0"},
		{"SEARCH_MEMORY", "-128"},
		{"SEARCH_MEMORY", "128 MB"},
		{"SEARCH_MEMORY", "1000000000000000"},
		{"CLOUDFRONT_SECRETS", "the secret itself"},
		{"CLOUDFRONT_SECRETS", strings.Repeat("0", 62)},
		{"CLOUDFRONT_SECRETS", strings.Repeat(","+strings.Repeat("0", 64), 3)},
	} {
		v := valid()
		v[c.name] = c.value
		if _, err := from(v); err == nil || !strings.HasPrefix(err.Error(), "configuration: "+c.name+" ") ||
			strings.Contains(err.Error(), c.value) == (c.name == "CLOUDFRONT_SECRETS") { // a secret is not told
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
	}
	v := valid()
	maps.DeleteFunc(v, func(name, _ string) bool { return name != "STAGE" })
	if _, err := from(v); err == nil || strings.Count(err.Error(), "is not set") != len(valid())-3 || strings.Contains(err.Error(), "\n") {
		t.Errorf("not everything that is missing: %v", err)
	}
}

// withIssuer are variables of a function that knows an issuer of identities.
func withIssuer() map[string]string {
	v := valid()
	maps.Copy(v, map[string]string{
		"OIDC_ISSUER": "https://accounts.google.com", "OIDC_CLIENT_ID": "us", "OIDC_CLIENT_SECRET": "secret of us",
		"OIDC_REDIRECT_URL": "https://app.example.com/google",
	})
	return v
}

func TestAnIssuer(t *testing.T) {
	want := OIDC{"https://accounts.google.com", "us", "secret of us", "https://app.example.com/google"}
	if env, err := from(withIssuer()); err != nil || env.Config.OIDC != want {
		t.Errorf("%+v, %v", env.Config.OIDC, err)
	}
	v := withIssuer()
	v["OIDC_CLIENT_ID"] = ""
	if env, err := from(v); err != nil || env.Config.OIDC != (OIDC{}) {
		t.Errorf("without a client id there is no issuer: %+v, %v", env.Config.OIDC, err)
	}
	for _, name := range []string{"OIDC_ISSUER", "OIDC_CLIENT_SECRET", "OIDC_REDIRECT_URL"} {
		v := withIssuer()
		delete(v, name)
		if _, err := from(v); err == nil || err.Error() != "configuration: "+name+" is not set" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for address, fine := range map[string]bool{
		"https://login.example.com/tenant/": true, "http://127.0.0.1:8001": true,
		"http://[::1]:8001": true, "http://a.localhost:8001": true,
		"http://login.example.com": false, "http://10.0.0.1": false, "login.example.com": false,
		"https://": false, "ftp://localhost": false,
		"https://a:b@login.example.com": false, "https://login.example.com/#x": false, "https://login.example.com/%zz": false,
	} {
		for _, name := range []string{"OIDC_ISSUER", "OIDC_REDIRECT_URL"} {
			v := withIssuer()
			v[name] = address
			if _, err := from(v); (err == nil) != fine {
				t.Errorf("%s=%s: %v", name, address, err)
			}
		}
	}
}

func TestSMS(t *testing.T) {
	whole := map[string]string{
		"SMS_PROVIDER": "http", "SMS_PRICE": "15", "SMS_CALLBACK_SECRET": "secret of both", "SMS_PROVIDER_URL": "https://sms.test/send",
		"SMS_PROVIDER_TOKEN": "token", "SMS_CALLBACK_URL": "https://api.test/v1/sms/callback/",
		"SMS_COUNTRIES": "KZ=1,UZ=7.5", "SMS_FREE": "20", "SMS_DAILY": "5000", "SMS_TOP_UP": "open",
	}
	want := SMS{
		Provider: ProviderHTTP, Price: money.Whole(15), CallbackSecret: "secret of both", URL: "https://sms.test/send", Token: "token",
		CallbackURL: "https://api.test/v1/sms/callback/", Free: 20, Daily: 5000, TopUp: true,
	}
	v := valid()
	maps.Copy(v, whole)
	env, err := from(v)
	if got := env.Config.SMS; err != nil || got.Price.Cmp(want.Price) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := fmt.Sprint(env.Config.SMS.Rates); got != "[{KZ 15.00 1} {UZ 112.50 8}]" {
		t.Errorf("the tariff is %s", got)
	}
	env.Config.SMS.Rates = nil
	if env.Config.SMS.Price = want.Price; !reflect.DeepEqual(env.Config.SMS, want) {
		t.Errorf("%+v", env.Config.SMS)
	}
	for _, c := range []struct{ name, variable, value, problem string }{
		{"another provider", "SMS_PROVIDER", "pigeon", `SMS_PROVIDER is no provider: "pigeon"`},
		{"no price", "SMS_PRICE", "", "SMS_PRICE is not set"},
		{"for nothing", "SMS_PRICE", "0", `SMS_PRICE is no amount above zero: "0"`},
		{"a price that is none", "SMS_PRICE", "1e3", `SMS_PRICE is no amount above zero: "1e3"`},
		{
			"another country", "SMS_COUNTRIES", "KZ=1,XX=2",
			`SMS_COUNTRIES is no list of countries and their prices: "XX=2" is no country with a price, such as KZ=1`,
		},
		{"less than none free", "SMS_FREE", "-1", `SMS_FREE is no number from 0 on: "-1"`},
		{"a limit that is none", "SMS_DAILY", "many", `SMS_DAILY is no number from 0 on: "many"`},
		{"an open address", "SMS_PROVIDER_URL", "http://sms.test", `SMS_PROVIDER_URL is no address of https: "http://sms.test"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := valid()
			maps.Copy(v, whole)
			v[c.variable] = c.value
			if _, err := from(v); err == nil || err.Error() != "configuration: "+c.problem {
				t.Error(err)
			}
		})
	}
	for _, none := range []string{"", "none"} {
		v["SMS_PROVIDER"] = none
		if env, err := from(v); err != nil || env.Config.SMS.Provider != "" {
			t.Errorf("without a provider: %+v, %v", env.Config.SMS, err)
		}
	}
}

// child makes the test binary a function without a configuration.
const child = "FUNCTION_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	Main(func(Env) Group { panic("a group was made without a configuration") })
}

func TestAFunctionThatCanNotStartSaysWhyInOneLine(t *testing.T) {
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = []string{child + "=1", "STAGE=test"}
	out, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v", err)
	}
	if text := string(out); !strings.HasPrefix(text, "tenantry: configuration: ") || strings.Count(text, "\n") != 1 {
		t.Fatalf("%q", text)
	}
}
