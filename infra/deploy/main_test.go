package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samconfig.toml")
	const text = "[staging.global.parameters]\nstack_name = \"s\"\n[staging.deploy.parameters]\nparameter_overrides = [\"Stage=staging\", \"MailFrom=a@b\"]\n" +
		"[test.global.parameters]\nstack_name = \"t\"\n[twice.global.parameters]\nstack_name = \"t\"\nparameter_overrides = \"Stage=t Release=1\"\n" +
		"[fresh.global.parameters]\nstack_name = \"f\"\nparameter_overrides = [\"PlatformDomain=tenantry.example\", \"MailFrom=no-reply@tenantry.example\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const as = "-release 2611271930-0123456789ab"
	for args, want := range map[string]string{ // with "!" before it a part of the error
		"-stage staging " + as: "deploy --config-env staging --parameter-overrides Stage=staging MailFrom=a@b Release=2611271930-0123456789ab",
		// Later ones count for SAM.
		"-stage staging " + as + " -- --parameter-overrides Stage=other SmsFree=3 --no-confirm-changeset": "deploy --config-env staging --no-confirm-changeset " +
			"--parameter-overrides Stage=staging MailFrom=a@b Stage=other SmsFree=3 Release=2611271930-0123456789ab",
		"-stage test " + as + " -- --parameter-overrides=Stage=test --region x": "deploy --config-env test --region x --parameter-overrides Stage=test " +
			"Release=2611271930-0123456789ab",
		"-stage test -release 2611271930-0123456789ab-dirty": "deploy --config-env test --parameter-overrides Release=2611271930-0123456789ab-dirty",
		"-stage production " + as:                            `!no stage "production"`,
		"-stage test":                                        "!name -stage and -release",
		"-stage test -release main":                          "!name -stage and -release",
		as:                                                   "!name -stage and -release",
		"-stage test " + as + " -- --parameter-overrides Release=1": "!by -release alone",
		"-stage twice " + as:         "!by -release alone",
		"-stage fresh " + as:         "!has sample values of MailFrom, PlatformDomain: put your own",
		"-stage fresh -check " + as:  "!MailFrom, PlatformDomain",
		"-stage stagin -check " + as: `!no stage "stagin"`,
		"-stage fresh " + as + " -- --parameter-overrides PlatformDomain=a.example.kz MailFrom=a@a.kz": "deploy --config-env fresh --parameter-overrides " +
			"PlatformDomain=tenantry.example MailFrom=no-reply@tenantry.example PlatformDomain=a.example.kz MailFrom=a@a.kz Release=2611271930-0123456789ab",
		"-stage test -flavour x": "!flavour",
	} {
		d, err := read(file, strings.Fields(args))
		if part, fails := strings.CutPrefix(want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, %v; want %q", args, d.words, err, part)
			}
		} else if got := strings.Join(d.words, " "); err != nil || got != want {
			t.Errorf("%s:\n%s, %v; want\n%s", args, got, err, want)
		}
	}
}
