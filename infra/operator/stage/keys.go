package stage

import (
	"context"
	"os"
	"strings"

	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

// Chains are the keys with which the stage chains signing records, as its functions have them: those of the stack's parameter, or its
// own. They are asked for nothing yet. The platform on this machine has its keys in a file.
func (e *Env) Chains(ctx context.Context) (keys.Keys, error) {
	if e.KeysFile != "" {
		if _, err := os.Stat(e.KeysFile); err != nil { // it would be made, with other keys than the platform's
			return nil, err
		}
		return keys.FromFile(e.KeysFile)
	}
	if e.Stack == nil {
		return nil, ErrNoStack
	}
	parameters, err := e.Stack.Parameters(ctx)
	if err != nil {
		return nil, err
	}
	list := strings.FieldsFunc(parameters["ChainKeys"], func(r rune) bool { return r == ',' })
	if len(list) == 0 {
		own, err := e.Stack.Resource(ctx, "ChainKey")
		if err != nil {
			return nil, err
		}
		list = []string{own}
	}
	client := awskms.New(e.At("KMS"))
	return keys.FromKMS(client, keys.Names{Secrets: map[keys.Use][]string{keys.Chains: list}}), nil
}
