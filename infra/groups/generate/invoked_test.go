package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seal is called by the messages of bikes, render by their requests.
const (
	callingBikes = newBikes + "\nfunc f() { env.Seal(); env.Render(); env.Seal() }\nfunc Work() {}\n"
	pressYAML    = "description: Presses.\ninvoked: true\nmemory: 2048\nfiles: {folders: [render], actions: [GetObject]}\n"
	callingYAML  = "description: Bikes.\nprefixes: [/v1/bikes]\ncalls: [render]\nworker_calls: [seal]\nenvironment: {BELL: Bell}\n"
)

// withInvoked is a project in which bikes may call render and seal.
func withInvoked(t *testing.T, source, declared, render string) string {
	t.Helper()
	dir := project(t, source, declared)
	for name, content := range map[string]string{
		"functions/render/group.yaml": render, "functions/render/render.go": "package render\n\nfunc New() { env.Keys.Sign() }\n",
		"functions/seal/group.yaml": "{description: Seals., invoked: true, seal: [GetPublicKey, Sign]}",
		"functions/seal/seal.go":    "package seal\n\nfunc New() { env.SealSigner() }\n",
	} {
		write(t, dir, name, content)
	}
	return dir
}

// write writes a file of a project.
func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What an invoked function reads was put there for it: it sees no names of others' files.
func TestInvokedFunctions(t *testing.T) {
	files, err := generate(withInvoked(t, callingBikes, callingYAML, pressYAML+"codes: [GenerateMac]\n"))
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) string {
		return "              - Sid: Calls\n                Effect: Allow\n                Action: lambda:InvokeFunction\n" +
			"                Resource:\n                  - !Ref " + name + "FunctionAliaslive\n"
	}
	for what, row := range map[string]struct{ file, want string }{
		"groups":       {"infra/groups/groups_gen.go", "\t\t\"bikes\": bikes.New,\n\t}"},
		"invoked":      {"infra/groups/groups_gen.go", "app.NewFunction{\n\t\t\"render\": render.New,\n\t\t\"seal\":   seal.New,\n\t}"},
		"main":         {"functions/bikes/lambda/main.go", "{ app.Main(bikes.New, app.WithCalls(awslambda.New)) }"},
		"invoked main": {"functions/render/lambda/main.go", "{ app.Called(render.New, app.WithKeys(awskms.New)) }"},
		"variables": {
			templateFile, "        Variables:\n          BELL: !Ref Bell\n          RENDER_FUNCTION: !Ref RenderFunctionAliaslive\n\n  BikesPermission:",
		},
		"right":            {templateFile, call("Render") + "\n  RenderFunction:"},
		"invoked function": {templateFile, "        LogGroup: !Ref RenderLog\n      MemorySize: 2048\n      Environment:\n        Variables:\n          CHAIN_KEYS: ''\n"},
		"its right":        {templateFile, "                  - !Sub '${Bucket.Arn}/render/*'\n"},
		"sealer": {
			templateFile, "          - Sid: Seal\n            Effect: Allow\n            Principal: *account\n" +
				"            Action: [kms:GetPublicKey, kms:Sign]\n            Resource: '*'\n            Condition:\n              ArnLike:\n" +
				"                aws:PrincipalArn: !Sub 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-SealRole-*'\n" +
				"  # End of generated sealers",
		},
		"sealer's right": {
			templateFile, "              - Sid: SealKey\n                Effect: Allow\n                Action: [kms:GetPublicKey, kms:Sign]\n" +
				"                Resource: !GetAtt SealKey.Arn\n",
		},
		"sealer's variable": {templateFile, "        Variables:\n          CHAIN_KEYS: ''\n          CODE_KEYS: ''\n          HOOK_KEYS: ''\n          REFRESH_KEYS: ''\n" +
			"          SEAL_KEY: !Ref SealKey\n          SIGNING_KEYS: ''\n\n  SealLog:"},
		"sealer's main":    {"functions/seal/lambda/main.go", "{ app.Called(seal.New, app.WithSealKey(awskms.New)) }"},
		"that of messages": {templateFile, "          SEAL_FUNCTION: !Ref SealFunctionAliaslive\n  # End of generated variables of messages"},
		"their right":      {templateFile, "generated calls of messages\n" + call("Seal")},
	} {
		if got := string(files[row.file]); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s lacks\n%s\n%s", what, row.file, row.want, got)
		}
	}
	for _, none := range []string{"MissingFiles", "RenderPermission", "      - RenderFunctionAliaslive\n      - ", "functions/${RenderFunction.Arn}", "render:\n              type"} {
		if strings.Contains(string(files[templateFile]), none) {
			t.Errorf("the template has %s", none)
		}
	}
	if strings.Contains(string(files["functions/worker/groups_gen.go"]), "render") {
		t.Errorf("the worker knows render: %s", files["functions/worker/groups_gen.go"])
	}
}

func TestWhatCallsMayNotBe(t *testing.T) {
	for name, row := range map[string]struct{ source, declared, render string }{
		"of a group":           {callingBikes, callingYAML, "{description: Presses., prefixes: [/v1/press], codes: [GenerateMac]}"},
		"with a path":          {callingBikes, callingYAML, "{description: Presses., prefixes: [/v1/press], invoked: true, codes: [GenerateMac]}"},
		"that calls":           {callingBikes, callingYAML, "{description: Presses., invoked: true, calls: [seal], codes: [GenerateMac]}"},
		"another that seals":   {callingBikes, callingYAML, pressYAML + "codes: [GenerateMac]\nseal: [Sign]\n"},
		"unknown to the calls": {newBikes, "{description: Bikes., invoked: true}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if row.render == "" {
				row.render = pressYAML + "codes: [GenerateMac]\n"
			}
			if _, err := generate(withInvoked(t, row.source, row.declared, row.render)); err == nil {
				t.Error("nobody minds")
			}
		})
	}
}

// Which groups show records follows from their prefixes: the longest one has a path, as at the gateway.
func TestWhoShowsRecords(t *testing.T) {
	dir := withInvoked(t, newBikes, "{description: Bikes., prefixes: [/v1/cars, /v1/crm/rental_points, /v1/bikes]}", pressYAML)
	write(t, dir, "functions/fines/group.yaml", "{description: Fines., prefixes: [/v1/cars/penalties, /v1/crm/rental]}")
	write(t, dir, "functions/show/group.yaml", "{description: Shows., invoked: true, shows: true, table: [GetItem], reads: [pt#live]}")
	files, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = "\treturn []face{\n\t\t{bikes.New, []kinds.Code{\"pt\", \"pst\"}},\n\t\t{fines.New, []kinds.Code{\"pen\"}},\n\t}\n"
	if got := string(files["functions/show/groups_gen.go"]); !strings.Contains(got, want) {
		t.Errorf("%s lacks\n%s", got, want)
	}
	write(t, dir, "functions/show/group.yaml", "{description: Shows., prefixes: [/v1/show], shows: true}")
	if _, err := generate(dir); err == nil {
		t.Error("a group that shows records of others: nobody minds")
	}
}

// Who makes secrets of webhooks may use their key; the one that delivers has the names of the functions that it calls.
func TestKeysOfWebhooks(t *testing.T) {
	dir := withInvoked(t, newBikes, "{description: Bikes., prefixes: [/v1/bikes], hooks: [GenerateMac]}", pressYAML)
	write(t, dir, "functions/deliver/role.yaml", "{table: [GetItem], reads: [hooks], calls: [render]}")
	files, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"users of secrets of webhooks": "- Sid: Bikes\n            Effect: Allow\n            Principal: *account\n            Action: kms:GenerateMac",
		"rights of deliver":            "dynamodb:LeadingKeys: T#*#hooks\n",
		"variables of deliver":         "RENDER_FUNCTION: !Ref RenderFunctionAliaslive\n",
	} {
		_, block, _ := strings.Cut(string(files[templateFile]), "# Begin of generated "+name)
		if block, _, _ = strings.Cut(block, "# End of generated "+name); !strings.Contains(block, want) {
			t.Errorf("%s lack %s: %s", name, want, block)
		}
	}
	if got := string(files["functions/bikes/lambda/main.go"]); !strings.Contains(got, "app.WithKeys(awskms.New)") {
		t.Errorf("it has no keys: %s", got)
	}
}

// A function that is no group calls others too, if its role says so.
func TestCallsOfARole(t *testing.T) {
	dir := withInvoked(t, newBikes, callingYAML, pressYAML)
	write(t, dir, "functions/dispatch/role.yaml", "{table: [GetItem], reads: [outbox], calls: [render]}")
	files, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, rights, _ := strings.Cut(string(files[templateFile]), "# Begin of generated rights of dispatch")
	rights, _, _ = strings.Cut(rights, "# End of generated rights of dispatch")
	if !strings.Contains(rights, "T#*#outbox") || !strings.Contains(rights, "- !Ref RenderFunctionAliaslive\n") {
		t.Errorf("dispatch may do this: %s", rights)
	}
	write(t, dir, "functions/dispatch/role.yaml", "{table: [GetItem], reads: [outbox], calls: [bikes]}")
	if _, err := generate(dir); err == nil || !strings.Contains(err.Error(), "functions/dispatch: it calls bikes") {
		t.Errorf("a call of a group: %v", err)
	}
}
