// Command artifacts holds the zips that a packaged template names against a list of their SHA-256, so that production is not deployed of
// zips other than those that staging ran. It reads them from the bucket before the deployment: what somebody changes there between that and
// the deployment is not seen.
//
//	artifacts -template packaged.yaml -built .aws-sam/build -write zips.sha256    once they are packaged
//	artifacts -template packaged.yaml -check zips.sha256                          before they are deployed
//
// The first run also compares what is in each zip with what was built. The list has the form of sha256sum, with the template itself in its
// first line; it is attested and published with the release.
//
// S3_ENDPOINT names an engine other than AWS's own. What never goes in here: packaging and deploying, which are SAM's.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

func main() {
	command.Main("artifacts", func(ctx context.Context, args []string, out io.Writer) error {
		settings, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return err
		}
		return run(ctx, s3.NewFromConfig(settings, func(o *s3.Options) {
			if endpoint := os.Getenv("S3_ENDPOINT"); endpoint != "" {
				o.BaseEndpoint, o.UsePathStyle = aws.String(endpoint), true
			}
		}), args, out)
	})
}

func run(ctx context.Context, client *s3.Client, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("artifacts", flag.ContinueOnError)
	template := flags.String("template", "packaged.yaml", "the `file` of the packaged template")
	built := flags.String("built", "", "the `folder` of what was built, with -write")
	write := flags.String("write", "", "the `file` that the list is written to")
	check := flags.String("check", "", "the `file` of the list that is checked")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if (*write == "") == (*check == "") || (*write == "") != (*built == "") {
		return errors.New("name -check, or -write with -built")
	}
	text, err := os.ReadFile(*template)
	if err != nil {
		return err
	}
	named, err := zips(text)
	if err != nil {
		return fmt.Errorf("%s: %w", *template, err)
	}
	if *write != "" {
		return record(ctx, client, text, named, *built, *write, out)
	}
	list, err := os.ReadFile(*check)
	if err != nil {
		return err
	}
	return compare(ctx, client, text, named, string(list), out)
}

// zips are the addresses of the functions' code, by the functions.
func zips(template []byte) (map[string]string, error) {
	document, err := samtemplate.Document(template)
	if err != nil {
		return nil, err
	}
	resources := tree.Object(document["Resources"])
	named := map[string]string{}
	for id, r := range resources {
		resource := tree.Object(r)
		if resource["Type"] != "AWS::Serverless::Function" {
			continue
		}
		properties := tree.Object(resource["Properties"])
		code := tree.Text(properties["CodeUri"])
		if _, _, ok := address(code); !ok {
			return nil, fmt.Errorf("the code of %s is %v, and not packaged", id, properties["CodeUri"])
		}
		named[id] = code
	}
	if len(named) == 0 {
		return nil, errors.New("it has no functions")
	}
	return named, nil
}

// address takes s3://bucket/key apart.
func address(code string) (bucket, key string, ok bool) {
	rest, ok := strings.CutPrefix(code, "s3://")
	bucket, key, found := strings.Cut(rest, "/")
	return bucket, key, ok && found && bucket != "" && key != ""
}

// record writes the list, once each zip is what was built.
func record(ctx context.Context, client *s3.Client, template []byte, named map[string]string, built, file string, out io.Writer) error {
	lines := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(named)) {
		body, err := fetch(ctx, client, named[id])
		if err != nil {
			return err
		}
		if err := same(body, os.DirFS(built), id); err != nil {
			return fmt.Errorf("%s, the code of %s, is not what was built: %w", named[id], id, err)
		}
		lines[named[id]] = sum(body)
	}
	var list strings.Builder
	fmt.Fprintf(&list, "%s  %s\n", sum(template), templateName)
	for _, code := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&list, "%s  %s\n", lines[code], code)
	}
	if err := os.WriteFile(file, []byte(list.String()), 0o600); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d zips of %d functions are what was built; %s lists them\n", len(lines), len(named), file)
	return err
}

// templateName is what the packaged template is called in the list.
const templateName = "packaged.yaml"

// compare reads every zip, and tells all that differ.
func compare(ctx context.Context, client *s3.Client, template []byte, named map[string]string, list string, out io.Writer) error {
	listed := map[string]string{}
	for line := range strings.Lines(list) {
		hash, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(hash) != len(sum(nil)) {
			return fmt.Errorf("the list has a line that is none: %q", line)
		}
		listed[name] = hash
	}
	var wrong []string
	if got := sum(template); got != listed[templateName] {
		wrong = append(wrong, fmt.Sprintf("the template is %s, and listed is %s", got, cmp.Or(listed[templateName], "none")))
	}
	delete(listed, templateName)
	all := map[string]bool{}
	for _, code := range named {
		all[code] = true
	}
	for _, code := range slices.Sorted(maps.Keys(all)) {
		want, there := listed[code]
		delete(listed, code)
		if !there {
			wrong = append(wrong, code+" is not in the list")
			continue
		}
		body, err := fetch(ctx, client, code)
		if err != nil {
			return err
		}
		if got := sum(body); got != want {
			wrong = append(wrong, fmt.Sprintf("%s is %s, and listed is %s", code, got, want))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(listed)) {
		wrong = append(wrong, code+" is in the list, and the template doesn't name it")
	}
	if len(wrong) > 0 {
		if _, err := fmt.Fprintf(out, "%s\nNothing is to be deployed of this.\n", strings.Join(wrong, "\n")); err != nil {
			return err
		}
		return command.ErrFound
	}
	_, err := fmt.Fprintf(out, "%d zips are those of the list\n", len(all))
	return err
}
