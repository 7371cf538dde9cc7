package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/infra/local/policy"
)

const (
	role  = "arn:aws:iam::123456789012:role/clients"
	other = "arn:aws:iam::123456789012:role/orders"
	root  = "arn:aws:iam::123456789012:root"
	table = "arn:aws:dynamodb:us-east-1:123456789012:table/tenantry"
	key   = "arn:aws:kms:us-east-1:123456789012:key/codes"
	photo = "arn:aws:s3:::files/t/1/photo"
)

func tree(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// document wraps statements into a policy.
func document(t *testing.T, kind policy.Kind, statements string) policy.Document {
	t.Helper()
	d, err := policy.Parse("p", kind, tree(t, `{"Version":"2012-10-17","Statement":[`+statements+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// allow is a statement of a role that allows one action on one resource.
func allow(action, resource, more string) string {
	return `{"Sid":"S","Effect":"Allow","Action":"` + action + `","Resource":"` + resource + `"` + more + `}`
}

// Each row is a rule of AWS's documentation. A page without a site belongs to the IAM User Guide, below
// docs.aws.amazon.com/IAM/latest/UserGuide/.
func TestDecide(t *testing.T) {
	ask := func(action, resource string, context ...string) policy.Request {
		r := policy.Request{Principal: role, Action: action, Resource: resource, Context: map[string][]string{}}
		for _, c := range context {
			name, values, _ := strings.Cut(c, "=")
			r.Context[name] = strings.FieldsFunc(values, func(c rune) bool { return c == ',' })
		}
		return r
	}
	const (
		write  = "dynamodb:PutItem"
		within = `,"Condition":{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["T#*#cli","T#*#cli#*"]}}`
		sure   = `,"Condition":{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["T#*#cli"]},"Null":{"dynamodb:LeadingKeys":"false"}}`
		some   = `,"Condition":{"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"a"}}`
		from   = `,"Condition":{"StringEquals":{"ses:FromAddress":"noreply@tenantry.test"}}`
		tls    = `,"Condition":{"Bool":{"aws:SecureTransport":"false"}}`
		noTLS  = `{"Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::files/*"` + tls + `}`
		toAll  = `{"Effect":"Allow","Principal":{"AWS":"` + root + `"},"Action":"kms:*","Resource":"*"}`
		toRole = `{"Effect":"Allow","Principal":{"AWS":["` + other + `","` + role + `"]},"Action":"kms:Sign","Resource":"*"}`
		// By how the names of roles begin.
		toNamed = `{"Effect":"Allow","Principal":{"AWS":"` + root + `"},"Action":"kms:Sign","Resource":"*",` +
			`"Condition":{"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::123456789012:role/client*"}}}`
		toOthers = `{"Effect":"Allow","Principal":{"AWS":"` + root + `"},"Action":"kms:Sign","Resource":"*",` +
			`"Condition":{"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::123456789012:role/order*"}}}`
		toElse = `{"Effect":"Allow","Principal":{"AWS":"` + other + `"},"Action":"kms:Sign","Resource":"*"}`
	)
	for _, c := range []struct {
		name           string
		role, resource string
		request        policy.Request
		allowed        bool
	}{
		// reference_policies_evaluation-logic_policy-eval-denyallow.html: denied by default; a deny decides, whatever allows.
		{"nothing is said", ``, ``, ask(write, table), false},
		{"it is allowed", allow(write, table, ""), ``, ask(write, table), true},
		{"another action is allowed", allow("dynamodb:GetItem", table, ""), ``, ask(write, table), false},
		{"another resource is allowed", allow(write, table+"/index/changes", ""), ``, ask(write, table), false},
		{
			"a deny decides", allow(write, table, "") + `,{"Effect":"Deny","Action":"dynamodb:*","Resource":"*"}`, ``,
			ask(write, table), false,
		},
		{
			"a deny of something else", allow(write, table, "") + `,{"Effect":"Deny","Action":"dynamodb:Scan","Resource":"*"}`, ``,
			ask(write, table), true,
		},

		// reference_policies_elements_action.html: prefix and name are the same in any case; wildcards.
		{"actions in any case", allow("DynamoDB:putitem", table, ""), ``, ask(write, table), true},
		{"a wildcard in an action", allow("dynamodb:Put*", table, ""), ``, ask(write, table), true},
		{"a wildcard for one character", allow("dynamodb:Pu?Item", table, ""), ``, ask(write, table), true},
		{"every action", allow("*", table, ""), ``, ask(write, table), true},

		// reference_policies_elements_resource.html: wildcards within the segments of an ARN; a * that ends one goes on beyond colons.
		{"an ARN in another case", allow(write, strings.Replace(table, "table/", "Table/", 1), ""), ``, ask(write, table), false},
		{"any object below a prefix", allow("s3:GetObject", "arn:aws:s3:::files/t/*", ""), ``, ask("s3:GetObject", photo), true},
		{"a slash is a character", allow("s3:GetObject", "arn:aws:s3:::files/*/photo", ""), ``, ask("s3:GetObject", photo), true},
		{"an object beside a prefix", allow("s3:GetObject", "arn:aws:s3:::files/uploads/*", ""), ``, ask("s3:GetObject", photo), false},
		{"one character", allow("s3:GetObject", "arn:aws:s3:::files/t/?/photo", ""), ``, ask("s3:GetObject", photo), true},
		{
			"no wildcard goes over a colon", allow(write, "arn:aws:dynamodb:us-*9012:table/tenantry:x", ""), ``,
			ask(write, table+":x"), false,
		},
		{"unless it ends a segment", allow(write, "arn:aws:dynamodb:*:table/tenantry:x", ""), ``, ask(write, table+":x"), true},
		{"as here", allow("sns:Publish", "arn:aws:sns:*:*:*", ""), ``, ask("sns:Publish", "arn:aws:sns:us-east-1:123456789012:a:b"), true},

		// docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsns.html: a telephone has no ARN.
		{"to a telephone", allow("sns:Publish", "*", ""), ``, ask("sns:Publish", "*"), true},
		{
			"to a telephone, and to no topic", allow("sns:Publish", "*", "") +
				`,{"Effect":"Deny","Action":"sns:Publish","Resource":"arn:aws:sns:*:*:*"}`, ``, ask("sns:Publish", "*"), true,
		},
		{
			"a topic", allow("sns:Publish", "*", "") + `,{"Effect":"Deny","Action":"sns:Publish","Resource":"arn:aws:sns:*:*:*"}`, ``,
			ask("sns:Publish", "arn:aws:sns:us-east-1:123456789012:alarms"), false,
		},

		// reference_policies_condition-single-vs-multi-valued-context-keys.html: ForAllValues holds of no values, ForAnyValue doesn't.
		{"all values match", allow(write, table, within), ``, ask(write, table, "dynamodb:LeadingKeys=T#7#cli,T#7#cli#log#1"), true},
		{"one doesn't", allow(write, table, within), ``, ask(write, table, "dynamodb:LeadingKeys=T#7#cli,T#7#ord"), false},
		{"all of no values", allow(write, table, within), ``, ask(write, table), true},
		{"all of an empty set", allow(write, table, within), ``, ask(write, table, "dynamodb:LeadingKeys="), true},
		{"any of the values", allow(write, table, some), ``, ask(write, table, "dynamodb:LeadingKeys=b,a"), true},
		{"none of the values", allow(write, table, some), ``, ask(write, table, "dynamodb:LeadingKeys=b,c"), false},
		{"any of no values", allow(write, table, some), ``, ask(write, table), false},

		// reference_policies_elements_condition_operators.html, Null: "false" asks that the key is there and holds something.
		{"there", allow(write, table, sure), ``, ask(write, table, "dynamodb:LeadingKeys=T#7#cli"), true},
		{"not there", allow(write, table, sure), ``, ask(write, table), false},
		{"there, and empty", allow(write, table, sure), ``, ask(write, table, "dynamodb:LeadingKeys="), false},

		// The same page, strings: case counts, * and ? are wildcards of StringLike and plain characters of StringEquals.
		{"a value in another case", allow(write, table, within), ``, ask(write, table, "dynamodb:LeadingKeys=t#7#cli"), false},
		{"a wildcard is no end", allow(write, table, within), ``, ask(write, table, "dynamodb:LeadingKeys=T#7#client"), false},
		{"a wildcard takes in more than one name", allow(write, table, within), ``, ask(write, table, "dynamodb:LeadingKeys=T#7#x#cli"), true},
		{"keys of conditions in any case", allow(write, table, within), ``, ask(write, table, "DynamoDB:leadingkeys=T#7#cli"), true},
		{
			"no wildcard", allow(write, table, `,"Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"T#*"}}`), ``,
			ask(write, table, "dynamodb:LeadingKeys=T#7"), false,
		},

		// reference_policies_elements_condition.html: one value of a key is enough; a missing key doesn't match.
		{"from the address", allow("ses:SendEmail", "*", from), ``, ask("ses:SendEmail", "*", "ses:FromAddress=noreply@tenantry.test"), true},
		{"from another", allow("ses:SendEmail", "*", from), ``, ask("ses:SendEmail", "*", "ses:FromAddress=root@tenantry.test"), false},
		{"from nobody", allow("ses:SendEmail", "*", from), ``, ask("ses:SendEmail", "*"), false},

		// reference_policies_evaluation-logic_policy-eval-basics.html: within an account either policy may allow, and each may deny.
		{
			"the resource's policy denies", allow("s3:GetObject", "arn:aws:s3:::files/*", ""), noTLS,
			ask("s3:GetObject", photo, "aws:SecureTransport=false"), false,
		},
		{
			"it doesn't deny this", allow("s3:GetObject", "arn:aws:s3:::files/*", ""), noTLS,
			ask("s3:GetObject", photo, "aws:SecureTransport=true"), true,
		},
		{
			"it alone allows", ``, `{"Effect":"Allow","Principal":{"AWS":"` + role + `"},"Action":"s3:GetObject","Resource":"` + photo + `"}`,
			ask("s3:GetObject", photo), true,
		},
		{
			"it allows the account, which leaves it to the role", ``,
			`{"Effect":"Allow","Principal":{"AWS":"` + root + `"},"Action":"s3:GetObject","Resource":"` + photo + `"}`,
			ask("s3:GetObject", photo), false,
		},
		{
			"it allows a service", ``,
			`{"Effect":"Allow","Principal":{"Service":"sns.amazonaws.com"},"Action":"s3:GetObject","Resource":"` + photo + `"}`,
			ask("s3:GetObject", photo), false,
		},

		// docs.aws.amazon.com/kms/latest/developerguide/key-policies.html and key-policy-default.html: no policy of a role counts unless
		// the key's policy names the account; a role that the key's policy names needs no other.
		{"the key leaves it to the account", allow("kms:Sign", key, ""), toAll, ask("kms:Sign", key), true},
		{"and the account says nothing", ``, toAll, ask("kms:Sign", key), false},
		// reference_policies_condition-keys.html, aws:PrincipalArn: of a role it is the role's own ARN.
		{"the key leaves it to roles of such names", allow("kms:Sign", key, ""), toNamed, ask("kms:Sign", key), true},
		{"and the role says nothing", ``, toNamed, ask("kms:Sign", key), false},
		{"the key leaves it to roles of other names", allow("kms:Sign", key, ""), toOthers, ask("kms:Sign", key), false},
		{"the key names the role", ``, toRole, ask("kms:Sign", key), true},
		{"the key names another role", allow("kms:Sign", key, ""), toElse, ask("kms:Sign", key), false},
		{"the key names the role for something else", allow("kms:GenerateMac", key, ""), toRole, ask("kms:GenerateMac", key), false},
		{
			"the role's policy may deny", `{"Effect":"Deny","Action":"kms:Sign","Resource":"*"}`, toRole, ask("kms:Sign", key), false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var own []policy.Document
			if c.role != "" {
				own = append(own, document(t, policy.OfRole, c.role))
			}
			var beside *policy.Document
			if c.resource != "" {
				d := document(t, policy.OfResource, c.resource)
				beside = &d
			}
			got, err := policy.Decide(c.request, own, beside)
			if err != nil || got.Allowed != c.allowed {
				t.Errorf("%+v, %v; want %v", got, err, c.allowed)
			}
			if got.Allowed && len(got.By) == 0 {
				t.Error("allowed by nothing")
			}
		})
	}
}

// What the package doesn't know is refused when it is read: otherwise a rule that is deployed would be no rule here.
func TestWhatIsNotKnownIsAnError(t *testing.T) {
	const rest = `"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::files/*"`
	condition := func(text string) string { return `{` + rest + `,"Condition":` + text + `}` }
	for _, c := range []struct {
		name, statement, says string
		kind                  policy.Kind
	}{
		{"NotAction", `{"Effect":"Allow","NotAction":"s3:GetObject","Resource":"*"}`, "NotAction", policy.OfRole},
		{"NotResource", `{"Effect":"Deny","Action":"s3:GetObject","NotResource":"*"}`, "NotResource", policy.OfRole},
		{"NotPrincipal", `{"NotPrincipal":"*",` + rest + `}`, "NotPrincipal", policy.OfResource},
		{"a misspelt element", `{"Ressource":"*",` + rest + `}`, "Ressource", policy.OfRole},
		{"no effect", `{"Action":"s3:GetObject","Resource":"*"}`, "effect", policy.OfRole},
		{"another effect", `{"Effect":"allow","Action":"s3:GetObject","Resource":"*"}`, "effect allow", policy.OfRole},
		{"no action", `{"Effect":"Allow","Resource":"*"}`, "action", policy.OfRole},
		{"no resource", `{"Effect":"Allow","Action":"s3:GetObject"}`, "resource", policy.OfRole},
		{"an action without its service", `{"Effect":"Allow","Action":"GetObject","Resource":"*"}`, "no action", policy.OfRole},
		{"an action of any service", `{"Effect":"Allow","Action":"*:GetObject","Resource":"*"}`, "no action", policy.OfRole},
		{"a resource that is no ARN", `{"Effect":"Allow","Action":"s3:GetObject","Resource":"files/*"}`, "no ARN", policy.OfRole},
		{"a number", `{"Effect":"Allow","Action":7,"Resource":"*"}`, "no text", policy.OfRole},
		{
			"a variable in a resource", `{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::files/${aws:userid}"}`,
			"${aws:userid}", policy.OfRole,
		},
		{"a principal of a role's policy", `{"Principal":"*",` + rest + `}`, "principal", policy.OfRole},
		{"a resource's policy without one", `{` + rest + `}`, "no principal", policy.OfResource},
		{"a wildcard in a principal", `{"Principal":{"AWS":"arn:aws:iam::123456789012:role/*"},` + rest + `}`, "role/*", policy.OfResource},
		{"somebody from elsewhere", `{"Principal":{"Federated":"x"},` + rest + `}`, "Federated", policy.OfResource},
		{"an operator", condition(`{"StringNotEquals":{"ses:FromAddress":"a"}}`), "StringNotEquals", policy.OfRole},
		{"an operator that lets a missing key pass", condition(`{"StringEqualsIfExists":{"ses:FromAddress":"a"}}`), "IfExists", policy.OfRole},
		{"an operator of sets", condition(`{"ForNoValue:StringLike":{"dynamodb:LeadingKeys":"a"}}`), "ForNoValue", policy.OfRole},
		{"a key", condition(`{"StringEquals":{"aws:PrincipalTag/company":"a"}}`), "aws:PrincipalTag/company", policy.OfRole},
		{"a variable", condition(`{"StringEquals":{"ses:FromAddress":"${aws:username}"}}`), "${aws:username}", policy.OfRole},
		{"an ARN of what doesn't ask", condition(`{"ArnLike":{"aws:SecureTransport":"arn:aws:iam::1:role/a"}}`), "ARNs of roles", policy.OfRole},
		{"a set of one", condition(`{"ForAllValues:StringLike":{"ses:FromAddress":"a"}}`), "several", policy.OfRole},
		{"one of a set", condition(`{"StringLike":{"dynamodb:LeadingKeys":"a"}}`), "several", policy.OfRole},
		{"neither true nor false", condition(`{"Bool":{"aws:SecureTransport":"no"}}`), "neither", policy.OfRole},
		{"no value", condition(`{"StringEquals":{"ses:FromAddress":[]}}`), "no value", policy.OfRole},
		{"a list of conditions", condition(`[]`), "cannot unmarshal", policy.OfRole},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := policy.Parse("p", c.kind, tree(t, `{"Version":"2012-10-17","Statement":`+c.statement+`}`))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one with %q", err, c.says)
			}
		})
	}
	for name, text := range map[string]string{
		"version": `{"Version":"2008-10-17","Statement":[]}`, "Id": `{"Version":"2012-10-17","Id":"x","Statement":[]}`, "no policy": `[]`,
	} {
		if _, err := policy.Parse("p", policy.OfRole, tree(t, text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", text, err)
		}
	}
	r := policy.Request{Principal: role, Action: "s3:GetObject", Resource: photo, Context: map[string][]string{"s3:prefix": {"t"}}}
	if _, err := policy.Decide(r, nil, nil); err == nil || !strings.Contains(err.Error(), "s3:prefix") {
		t.Errorf("a request with a key that is not known: %v", err)
	}
	if _, err := policy.Decide(policy.Request{Principal: role, Action: "kms:Sign", Resource: key}, nil, nil); err == nil {
		t.Error("a key without a policy")
	}
}

// A decision names the statements and their patterns, so that it can be told which of them are ever used.
func TestADecisionSaysWhatItFollows(t *testing.T) {
	own := document(t, policy.OfRole, `{"Sid":"Writes","Effect":"Allow","Action":["dynamodb:PutItem","dynamodb:DeleteItem"],`+
		`"Resource":"`+table+`","Condition":{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["T#*#cli","T#*#ord","T#*"]}}}`)
	d, err := policy.Decide(policy.Request{
		Principal: role, Action: "dynamodb:PutItem", Resource: table,
		Context: map[string][]string{"dynamodb:LeadingKeys": {"T#7#cli", "T#7#cli"}},
	}, []policy.Document{own}, nil)
	if err != nil || len(d.By) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	got := d.By[0]
	if got.Statement.Sid != "Writes" || strings.Join(got.Actions, " ") != "dynamodb:PutItem" || strings.Join(got.Resources, " ") != table ||
		strings.Join(got.Values, " ") != "T#* T#*#cli" {
		t.Errorf("%+v", got)
	}
}

// A statement is about a role alone where it names it, or the account with roles of such names.
func TestNames(t *testing.T) {
	const of = `{"Effect":"Allow","Action":"kms:Sign","Resource":"*","Principal":{"AWS":"`
	for text, want := range map[string]bool{
		of + role + `"}}`:  true,
		of + other + `"}}`: false,
		of + root + `"}}`:  false,
		of + root + `"},"Condition":{"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::123456789012:role/client*"}}}`: true,
		of + root + `"},"Condition":{"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::123456789012:role/order*"}}}`:  false,
		of + root + `"},"Condition":{"Bool":{"aws:SecureTransport":"true"}}}`:                                   false,
	} {
		if got := document(t, policy.OfResource, text).Statements[0].Names(role); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
