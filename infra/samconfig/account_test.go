package samconfig

import (
	"errors"
	"testing"
)

// Without credentials a command says so first; with some, it calls the stage's region, or the one of the environment.
func TestAccount(t *testing.T) {
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, t.TempDir()+"/none")
	}
	for _, name := range []string{
		"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	if _, err := (Stage{}).Account(t.Context()); !errors.Is(err, ErrSignedOut) {
		t.Errorf("got %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "eu-north-1")
	for region, want := range map[string]string{"": "eu-north-1", "eu-central-1": "eu-central-1"} {
		if to, err := (Stage{Region: region}).Account(t.Context()); err != nil || to.Region != want {
			t.Errorf("%q: %q, %v", region, to.Region, err)
		}
	}
}
