// Command reverify verifies again what the documents of a company were signed with: from the table, the bucket and the
// chain's key. It prints a line for each thing that does not hold, and ends with 1 if there is any.
//
//	go run ./infra/reverify -table NAME -bucket NAME -tenant 7 -kms KEY [-seals chain.pem]
//	go run ./infra/reverify -table NAME -bucket NAME -tenant 7 -keys FILE [-seals chain.pem]
//
// DYNAMODB_ENDPOINT and S3_ENDPOINT name engines other than AWS's own. It reads all signed documents and their files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/seal/pades"
	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/reverify/recheck"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
	"github.com/tenantry/tenantry/shared/record"
)

func main() { command.Main("reverify", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("reverify", flag.ContinueOnError)
	of := command.Define(flags)
	kms := flags.String("kms", "", "the `keys` of KMS that chain, and have chained: ids or ARNs, separated by commas")
	file := flags.String("keys", "", "instead of -kms, the `file` of keys of a local platform")
	seals := flags.String("seals", "",
		"a `file` with the certificates that have sealed; without it each document is held to the one it names")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !of.Complete() || (*kms == "") == (*file == "") {
		return errors.New("name -table, -bucket, -tenant, and the keys by either -kms or -keys")
	}
	company, err := of.Open(ctx)
	if err != nil {
		return err
	}
	chain := keys.FromKMS(func() keys.KMS { return awskms.New(company.AWS)() }, keys.Names{
		Secrets: map[keys.Use][]string{keys.Chains: strings.Split(*kms, ",")},
	})
	if *file != "" {
		if chain, err = keys.FromFile(*file); err != nil {
			return err
		}
	}
	c := recheck.Checker{
		Desk: document.NewDesk(company.Conn, company.Files, chain, uuid.New), Files: company.Files,
		Scope: record.Scope{Table: company.Table, Now: time.Now},
	}
	if c.Seals, err = certificates(*seals); err != nil {
		return err
	}
	report, err := c.All(ctx)
	for _, f := range report.Problems {
		fmt.Fprintf(out, "document %d: %s\n", f.Document, f.Problem)
	}
	if err != nil {
		return err
	}
	if report.Elsewhere > 0 {
		fmt.Fprintf(out, "%d signs have stages that were made on another installation, which alone can prove them; they are as they came\n",
			report.Elsewhere)
	}
	fmt.Fprintf(out, "%d documents with signs, %d of them sealed: %d things do not hold\n", report.Documents, report.Sealed,
		len(report.Problems))
	if len(report.Problems) > 0 {
		return command.ErrFound
	}
	return nil
}

// certificates reads the hashes of the certificates in a file; none where no file is named.
func certificates(path string) (sums []pades.Sum, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := pades.Certificates(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, x := range list {
		sums = append(sums, pades.SumOf(x))
	}
	return sums, nil
}
