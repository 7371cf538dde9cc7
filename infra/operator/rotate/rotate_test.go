package rotate_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/tenantry/tenantry/infra/local/awsapi"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/infra/operator/rotate"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
)

const arn = "arn:aws:kms:us-east-1:123456789012:key/"

// administered is the statement of the stack's keys by which policies of IAM may have them deleted.
const administered = `{"Sid":"Administration","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},` +
	`"Action":["kms:DescribeKey","kms:GetKeyPolicy","kms:ScheduleKeyDeletion"],"Resource":"*"}`

// stack is one with these parameters; its keys have the ids of the local platform's.
type stack map[string]string

func (stack) Resource(_ context.Context, id string) (string, error) { return kms.Resources()[id], nil }

func (s stack) Parameters(context.Context) (map[string]string, error) { return s, nil }

func (s stack) list(name string) []string { return strings.Split(s[name], ",") }

// of makes a stage with the keys of a new stack, and returns how the command runs there.
func of(t *testing.T) (s *stagetest.Stage, parameters stack, run stagetest.Run) {
	t.Helper()
	s, parameters = stagetest.New(t), stack{}
	e, _ := s.Env()
	who, err := e.AWS.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]kms.Key{}
	for _, id := range kms.Resources() {
		names[id] = kms.Key{Secret: []byte(id), About: kms.About{
			Description: "local: makes " + id, Policy: `{"Version":"2012-10-17","Statement":[` + administered + `]}`, Created: time.Now().Add(-time.Hour),
		}}
	}
	server, err := kms.Start(t.Context(), kms.Options{
		Options: awsapi.Options{Keys: map[string]string{who.AccessKeyID: who.SecretAccessKey}}, Names: names, ARN: arn,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s.Endpoints["KMS_ENDPOINT"] = server.URL
	return s, parameters, func(ctx context.Context, e *stage.Env, args []string) error {
		e.Stack = parameters
		return rotate.Run(ctx, e, args)
	}
}

// told runs the command and returns what follows a text in what it prints, to the end of the word.
func told(t *testing.T, s *stagetest.Stage, run stagetest.Run, before string, args ...string) string {
	t.Helper()
	said, err := s.Run(t.Context(), run, args...)
	_, rest, ok := strings.Cut(said, before)
	if err != nil || !ok {
		t.Fatalf("%q isn't told, %v:\n%s", before, err, said)
	}
	word, _, _ := strings.Cut(rest, "\n")
	word, _, _ = strings.Cut(word, ". ")
	return strings.TrimSuffix(word, ".")
}

// refused tells that the command fails for a reason.
func refused(t *testing.T, s *stagetest.Stage, run stagetest.Run, why string, args ...string) {
	t.Helper()
	if said, err := s.Run(t.Context(), run, args...); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("%v: %v, not %q\n%s", args, err, why, said)
	}
}

// A rotation, from the first key to the deletion of the second: each deployment is told to the letter, and nothing is deleted too early.
func TestRotation(t *testing.T) {
	s, parameters, run := of(t)
	own := arn + "code"
	parameters["CodeKeys"] = told(t, s, run, "1 of 3: deploy with CodeKeys=", "-key", "codes")
	first, second, ok := strings.Cut(parameters["CodeKeys"], ",")
	if !ok || first != own || !strings.HasPrefix(second, arn) {
		t.Fatalf("the first deployment names %q", parameters["CodeKeys"])
	}
	refused(t, s, run, "has not ended", "-key", "codes")
	if parameters["CodeKeys"] = told(t, s, run, "2 of 3: deploy with CodeKeys="); parameters["CodeKeys"] != second+","+first {
		t.Fatalf("the second names %q", parameters["CodeKeys"])
	}
	refused(t, s, run, "CodeKeys names", "-retire", first)
	if parameters["CodeKeys"] = told(t, s, run, "15 minutes later: deploy with CodeKeys="); parameters["CodeKeys"] != second {
		t.Fatalf("the third names %q", parameters["CodeKeys"])
	}
	refused(t, s, run, "stack's own", "-retire", first)
	// Once more: now the old key is one that can go.
	parameters["CodeKeys"] = told(t, s, run, "1 of 3: deploy with CodeKeys=", "-key", "codes")
	_, third, _ := strings.Cut(parameters["CodeKeys"], ",")
	parameters["CodeKeys"] = second
	refused(t, s, run, "is the next key", "-retire", third)
	parameters["CodeKeys"] = third
	if got := told(t, s, run, second+" is named no more: -retire "); !strings.HasPrefix(got, second) {
		t.Errorf("to be retired: %s", got)
	}
	told(t, s, run, second+" is deleted in 7 days", "-retire", second)
	told(t, s, run, second+" awaits its deletion already", "-retire", second)
}

// By its own policies the operator's role makes keys, and has those deleted that it has made, whose policy says so; of the others none,
// though the stack's keys leave it to IAM who may. No right of it is idle.
func TestRights(t *testing.T) {
	s, parameters, run := of(t)
	j, e := s.Judge(t, "rotate", map[string]string{"kms": s.Endpoints["KMS_ENDPOINT"]})
	var out bytes.Buffer
	e.Out = &out
	do := func(args ...string) {
		t.Helper()
		if err := run(t.Context(), e, args); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, &out)
		}
	}
	next := func() string {
		t.Helper()
		_, rest, _ := strings.Cut(out.String(), "deploy with CodeKeys=")
		list, _, _ := strings.Cut(rest, ". It accepts")
		out.Reset()
		return list[strings.LastIndex(list, ",")+1:]
	}
	do("-key", "codes")
	second := next()
	parameters["CodeKeys"] = second
	do("-key", "codes")
	parameters["CodeKeys"] = next()
	do("-retire", second)
	for _, right := range stagetest.Idle(j, "rotate") {
		t.Errorf("nothing uses the right %s", right)
	}
	for _, denial := range j.Denials() {
		t.Error(denial)
	}
	client := awskms.NewFromConfig(e.At("KMS"))
	for _, key := range []string{"code", "seal"} {
		if _, err := client.ScheduleKeyDeletion(t.Context(), &awskms.ScheduleKeyDeletionInput{KeyId: &key}); err == nil {
			t.Errorf("the role may have the key %s deleted, which it has not made", key)
		}
	}
	if n := len(j.Denials()); n != 2 {
		t.Errorf("%d requests were denied", n)
	}
	policy, err := client.GetKeyPolicy(t.Context(), &awskms.GetKeyPolicyInput{KeyId: &parameters.list("CodeKeys")[0]})
	if err != nil || strings.Count(aws.ToString(policy.Policy), "kms:ScheduleKeyDeletion") != 2 {
		t.Errorf("the statement comes once, beside the administration's: %s, %v", aws.ToString(policy.Policy), err)
	}
}

// Chains end with the new key in front: the old one stays.
func TestChains(t *testing.T) {
	s, parameters, run := of(t)
	parameters["ChainKeys"] = told(t, s, run, "1 of 3: deploy with ChainKeys=", "-key", "chains")
	parameters["ChainKeys"] = told(t, s, run, "2 of 3: deploy with ChainKeys=")
	told(t, s, run, "that is the end: what the old key made is out there for ever")
	list := strings.Split(told(t, s, run, "1 of 3: deploy with ChainKeys=", "-key", "chains"), ",")
	if len(list) != 3 || list[1] != arn+"chain" {
		t.Errorf("the next rotation begins with %v", list)
	}
	first, _, _ := strings.Cut(parameters["ChainKeys"], ",")
	parameters["ChainKeys"] = list[2]
	refused(t, s, run, "nobody can show", "-retire", first)
}

func TestRefused(t *testing.T) {
	s, _, run := of(t)
	refused(t, s, run, "no use of keys", "-key", "seals")
	refused(t, s, run, "are two runs", "-key", "codes", "-retire", "x")
	refused(t, s, run, "was not made by rotate", "-retire", arn+"seal")
	refused(t, s, run, "does not exist", "-retire", arn+"none")
	refused(t, s, rotate.Run, "-stack")
	refused(t, s, func(ctx context.Context, e *stage.Env, args []string) error {
		e.Local = "http://127.0.0.1:8000"
		return rotate.Run(ctx, e, args)
	}, "nothing to rotate")
}

// However often it is killed, one key is made, with the policy of the one before.
func TestKilled(t *testing.T) {
	runs := map[*stagetest.Stage]stagetest.Run{}
	var last *stagetest.Stage
	stagetest.Killed(t, func(t *testing.T) *stagetest.Stage {
		s, _, run := of(t)
		runs[s], last = run, s
		return s
	}, func(ctx context.Context, e *stage.Env, args []string) error { return runs[last](ctx, e, args) }, []string{"-key", "refresh"},
		func(t *testing.T, s *stagetest.Stage, _ string) {
			list := strings.Split(told(t, s, runs[s], "deploy with RefreshKeys="), ",")
			if len(list) != 2 {
				t.Errorf("%v", list)
			}
			told(t, s, runs[s], "the next key was made before", "-key", "refresh")
		})
}
