// Package rotate is the operator's command that replaces keys of KMS. It does what KMS does, and tells what is left to a deployment: keys
// are named by parameters of the stack, which only a deployment changes for good.
//
// What never goes in here: what keys are for (shared/keys), and deployments.
package rotate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"github.com/tenantry/tenantry/infra/operator/stage"
)

// use is what keys are for.
type use struct {
	name                string
	parameter, resource string // of the template
	spec                types.KeySpec
	usage               types.KeyUsageType
	leaves              string // when what the old key made is no longer out there, after the deployment that put the new one in front
	forever             bool   // what the old key made is out there for ever
}

// uses are all, as docs/operations.md has them.
func uses() []use {
	const mac, macs = types.KeySpecHmac256, types.KeyUsageTypeGenerateVerifyMac
	return []use{
		{"signing", "SigningKeys", "SigningKey", types.KeySpecEccNistP256, types.KeyUsageTypeSignVerify, "an hour later", false},
		{"codes", "CodeKeys", "CodeKey", mac, macs, "15 minutes later", false},
		{"refresh", "RefreshKeys", "RefreshKey", mac, macs, "30 days later", false},
		{"chains", "ChainKeys", "ChainKey", mac, macs, "never, while records that it chained have to hold", true},
		{"hooks", "HookKeys", "HookKey", mac, macs, "a day after every webhook was given another secret", false},
	}
}

// key is one of KMS.
type key struct {
	arn, description, state string
	made                    time.Time
}

// keys are those of a use.
type keys struct {
	use

	own  key   // the stack's
	list []key // in the order of the parameter: the first one makes, all verify
	next []key // made by this command, later than the first one and not in the list yet
	old  []key // made by this command, or the first that were there, and in the list no more
}

// description is how this command finds the keys that it has made, whatever has become of it meanwhile.
func (u use) description(stack string) string { return stack + ": " + u.name + ", made by rotate" }

// Run tells how each key stands. With -key it makes the next one, unless it has before; with -retire it has one deleted that is used no
// more.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	flags := e.Flags("rotate")
	name := flags.String("key", "", "make the next key of this `use`: signing, codes, refresh, chains or hooks")
	retire := flags.String("retire", "", "have the key with this `ARN` deleted, which no parameter names any more")
	if err := stage.Parse(flags, args); err != nil {
		return err
	}
	switch {
	case e.Local != "":
		return errors.New("the platform on this machine has its keys in a file, keys.json of its data: there is nothing to rotate")
	case e.Stack == nil:
		return stage.ErrNoStack
	case *name != "" && *retire != "":
		return errors.New("-key and -retire are two runs")
	}
	p := program{Env: e, client: kms.NewFromConfig(e.At("KMS"))}
	if err := p.read(ctx); err != nil {
		return err
	}
	switch {
	case *retire != "":
		return p.retire(ctx, *retire)
	case *name != "":
		at := slices.IndexFunc(p.all, func(k keys) bool { return k.name == *name })
		if at < 0 {
			return fmt.Errorf("-key %s is no use of keys", *name)
		}
		return p.make(ctx, p.all[at])
	}
	for _, k := range p.all {
		p.tell(k)
	}
	e.Say("seals: their key stays; docs/operations.md, Seals, tells how its certificate is renewed.")
	return nil
}

// program is one run.
type program struct {
	*stage.Env

	client *kms.Client
	stack  string // its name, as its keys' descriptions begin
	all    []keys
}

// read finds out which keys there are.
func (p *program) read(ctx context.Context) error {
	parameters, err := p.Stack.Parameters(ctx)
	if err != nil {
		return err
	}
	found, err := p.list(ctx)
	if err != nil {
		return err
	}
	for _, u := range uses() {
		k := keys{use: u}
		id, err := p.Stack.Resource(ctx, u.resource)
		if err != nil {
			return err
		}
		if k.own, err = p.describe(ctx, id); err != nil {
			return err
		}
		stack, _, ok := strings.Cut(k.own.description, ": ")
		if !ok {
			return fmt.Errorf("the description %q of the key %s doesn't begin with the name of its stack", k.own.description, k.own.arn)
		}
		p.stack = stack
		names := strings.FieldsFunc(parameters[u.parameter], func(r rune) bool { return r == ',' })
		if len(names) == 0 {
			names = []string{k.own.arn}
		}
		for _, name := range names {
			one, err := p.describe(ctx, name)
			if err != nil {
				return err
			}
			k.list = append(k.list, one)
		}
		for _, one := range append(slices.Clone(found), k.own) {
			switch {
			case one.arn != k.own.arn && one.description != u.description(p.stack) || one.state == string(types.KeyStatePendingDeletion),
				slices.ContainsFunc(k.list, func(l key) bool { return l.arn == one.arn }):
			case one.made.After(k.list[0].made):
				k.next = append(k.next, one)
			default:
				k.old = append(k.old, one)
			}
		}
		p.all = append(p.all, k)
	}
	return nil
}

// list finds the keys that this command may have made, of whatever stack.
func (p *program) list(ctx context.Context) (all []key, err error) {
	for pages := kms.NewListKeysPaginator(p.client, &kms.ListKeysInput{}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range page.Keys {
			one, err := p.describe(ctx, aws.ToString(k.KeyArn))
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(one.description, ", made by rotate") {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

func (p *program) describe(ctx context.Context, name string) (key, error) {
	out, err := p.client.DescribeKey(ctx, &kms.DescribeKeyInput{KeyId: &name})
	if err != nil {
		return key{}, fmt.Errorf("the key %s: %w", name, err)
	}
	m := out.KeyMetadata
	return key{aws.ToString(m.Arn), aws.ToString(m.Description), string(m.KeyState), aws.ToTime(m.CreationDate)}, nil
}

// make makes the next key of a use, with the policy of the one that makes now, unless there is one.
func (p *program) make(ctx context.Context, k keys) error {
	switch {
	case len(k.next) > 0:
		p.Say("%s: the next key was made before.", k.name)
		p.tell(k)
		return nil
	case k.newest() > 0 || len(k.list) > 1 && !k.forever:
		p.tell(k)
		return fmt.Errorf("%s: the last rotation has not ended; end it first", k.name)
	}
	if err := p.Ask(fmt.Sprintf("This makes a key of KMS for %s, with the policy of %s. Nothing uses it before a deployment names it.",
		k.name, k.list[0].arn)); err != nil {
		return err
	}
	policy, err := p.client.GetKeyPolicy(ctx, &kms.GetKeyPolicyInput{KeyId: &k.list[0].arn})
	if err != nil {
		return fmt.Errorf("the policy of %s: %w", k.list[0].arn, err)
	}
	retirable, err := withRetire(aws.ToString(policy.Policy), k.list[0].arn, p.stack)
	if err != nil {
		return err
	}
	out, err := p.client.CreateKey(ctx, &kms.CreateKeyInput{
		KeySpec: k.spec, KeyUsage: k.usage, Policy: &retirable, Description: aws.String(k.description(p.stack)),
	})
	if err != nil {
		return err
	}
	k.next = []key{{arn: aws.ToString(out.KeyMetadata.Arn), made: aws.ToTime(out.KeyMetadata.CreationDate)}}
	p.tell(k)
	return nil
}

// newest is the place of the newest key in the list: 0 unless a rotation is to go on.
func (k keys) newest() (at int) {
	for i, one := range k.list {
		if one.made.After(k.list[at].made) {
			at = i
		}
	}
	return at
}

// deploy is a deployment that names these keys.
func (k keys) deploy(list []key) string {
	var names []string
	for _, one := range list {
		names = append(names, one.arn)
	}
	return fmt.Sprintf("deploy with %s=%s", k.parameter, strings.Join(names, ","))
}

// tell prints how the keys of a use stand, and what is to be done next.
func (p *program) tell(k keys) {
	p.Say("%s: %s makes", k.name, k.list[0].arn)
	for _, one := range k.list[1:] {
		p.Say("  %s verifies", one.arn)
	}
	switch newest := k.newest(); {
	case len(k.next) > 0:
		p.Say("  next, 1 of 3: %s. It accepts the new key then, and doesn't use it.", k.deploy(append(slices.Clone(k.list), k.next[0])))
	case newest > 0:
		list := slices.Concat(k.list[newest:newest+1], k.list[:newest], k.list[newest+1:])
		p.Say("  next, 2 of 3: %s. The new key makes then.", k.deploy(list))
	case len(k.list) > 1 && k.forever:
		p.Say("  that is the end: what the old key made is out there for ever.")
	case len(k.list) > 1:
		p.Say("  next, 3 of 3, when what the old key made is no longer out there, %s: %s.", k.leaves, k.deploy(k.list[:1]))
	}
	for _, one := range k.old {
		switch {
		case one.arn == k.own.arn:
			p.Say("  %s is named no more; it is the stack's own, and stays", one.arn)
		default:
			p.Say("  %s is named no more: -retire %s has it deleted", one.arn, one.arn)
		}
	}
}

// deletes is in how many days a retired key is deleted; until then that can be taken back.
const deletes = 7

// retire has a key deleted that this command has made, and that no parameter names.
func (p *program) retire(ctx context.Context, arn string) error {
	for _, k := range p.all {
		switch {
		case slices.ContainsFunc(k.list, func(l key) bool { return l.arn == arn }):
			return fmt.Errorf("%s names %s", k.parameter, arn)
		case k.own.arn == arn:
			return fmt.Errorf("%s is the stack's own: it stays one of its resources", arn)
		case slices.ContainsFunc(k.next, func(n key) bool { return n.arn == arn }):
			return fmt.Errorf("%s is the next key for %s", arn, k.name)
		case !slices.ContainsFunc(k.old, func(o key) bool { return o.arn == arn }):
			continue
		case k.forever:
			return fmt.Errorf("%s has chained records: without it nobody can show that they are whole", arn)
		}
		if err := p.Ask(fmt.Sprintf("This has %s deleted, which was for %s, in %d days. Until then aws kms cancel-key-deletion undoes it.",
			arn, k.name, deletes)); err != nil {
			return err
		}
		_, err := p.client.ScheduleKeyDeletion(ctx, &kms.ScheduleKeyDeletionInput{KeyId: &arn, PendingWindowInDays: aws.Int32(deletes)})
		if err != nil {
			return fmt.Errorf("who may have %[2]s deleted says the statement %[1]s of its policy: %[3]w", retire, arn, err)
		}
		p.Say("%s is deleted in %d days.", arn, deletes)
		return nil
	}
	one, err := p.describe(ctx, arn)
	switch {
	case err != nil:
		return err
	case one.state == string(types.KeyStatePendingDeletion):
		p.Say("%s awaits its deletion already.", arn)
		return nil
	}
	return fmt.Errorf("%s was not made by rotate for this stack: see what it is for, and delete it by hand", arn)
}
