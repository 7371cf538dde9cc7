package platform

import (
	"context"
	"fmt"
	"io"

	"github.com/tenantry/tenantry/infra/local/judge"
	"github.com/tenantry/tenantry/infra/local/kms"
	"github.com/tenantry/tenantry/shared/app"
)

// engines tells a group's function where the engines are: all functions the same, unless each is judged.
func (p *Platform) engines(ctx context.Context, group string) (map[string]string, error) {
	given := p.unjudgedEngines()
	if p.Judge == nil {
		return given, nil
	}
	url, err := p.Judge.Listen(ctx, group)
	for _, name := range app.Endpoints() {
		given[name] = url
	}
	given["KEYS_FILE"] = "" // the keys are in the local KMS
	return given, err
}

func (p *Platform) unjudgedEngines() map[string]string {
	given := p.Storage.environment()
	given["LAMBDA_ENDPOINT"] = p.Calls.URL
	return given
}

// unjudged is what a group's function is made with, for what no function does.
func (p *Platform) unjudged(group string, log io.Writer) (app.Env, error) {
	id, _, _ := p.template.Of(group) // another group has no environment
	return p.environment(id, p.unjudgedEngines(), log)
}

// openJudge opens a judge before the engines, and a KMS over the file of keys, because a file judges nobody.
func (p *Platform) openJudge(ctx context.Context) error {
	held, err := kms.OfFile(p.Storage.KeysFile())
	if err != nil {
		return err
	}
	keys, err := kms.Start(ctx, kms.Options{Options: p.Storage.signers(), Names: held})
	if err != nil {
		return err
	}
	p.ends.Add(keys.Close)
	if p.Judge, err = judge.Open(judge.Options{
		Template: p.template, Region: p.Storage.environment()["AWS_REGION"], Names: p.names(), Engines: map[string]string{
			"dynamodb": p.Storage.TableEndpoint, "s3": p.Storage.FilesEndpoint, "lambda": p.Calls.URL, "kms": keys.URL,
		},
	}); err != nil {
		return fmt.Errorf("platform: %w", err)
	}
	p.ends.Add(p.Judge.Close)
	return nil
}
