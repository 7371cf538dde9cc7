// Command sealcert makes the certificate with which documents are sealed, out of the seal's key: one that the key issues to
// itself, or a request with which an authority issues one. It also checks what an authority has issued, before it becomes the
// template's parameter SealChain. docs/operations.md says how it may use the key.
//
//	go run ./infra/sealcert -kms KEY -name 'Acme documents' -organization 'Acme LLP' -country KZ > chain.pem
//	go run ./infra/sealcert -kms KEY -name 'Acme documents' -organization 'Acme LLP' -country KZ -request > request.pem
//	go run ./infra/sealcert -kms KEY -check chain.pem
//
// What never goes in here: keys themselves.
package main

import (
	"context"
	"crypto"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/tenantry/tenantry/infra/command"
	"github.com/tenantry/tenantry/infra/sealcert/certificate"
	"github.com/tenantry/tenantry/shared/keys"
	"github.com/tenantry/tenantry/shared/keys/awskms"
)

func main() { command.Main("sealcert", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sealcert", flag.ContinueOnError)
	kms := flags.String("kms", "", "the `key` of KMS that seals: its id or ARN")
	file := flags.String("keys", "", "instead of -kms, the `file` of keys of a local platform")
	name := flags.String("name", "", "who seals: the common `name` that readers of sealed files show")
	organization := flags.String("organization", "", "the `organization` that it belongs to")
	country := flags.String("country", "", "its country, in two `letters`")
	years := flags.Int("years", 10, "how many `years` the certificate is valid")
	request := flags.Bool("request", false, "print a request for a certificate, for an authority, instead of a certificate")
	check := flags.String("check", "", "check the `file` of certificates that is to become SealChain, and print nothing else")
	if err := flags.Parse(args); err != nil {
		return err
	}
	key, err := open(ctx, *kms, *file)
	if err != nil {
		return err
	}
	if *check != "" {
		return verify(out, key, *check)
	}
	who := certificate.Name{Common: *name, Organization: *organization, Country: *country}
	if *request {
		text, err := certificate.Request(key, who)
		if err != nil {
			return err
		}
		_, err = out.Write(text)
		return err
	}
	const most = 30
	if *years < 1 || *years > most {
		return fmt.Errorf("-years is from 1 to %d", most)
	}
	from := time.Now().UTC().Truncate(24 * time.Hour)
	x, err := certificate.SelfIssued(key, who, from, from.AddDate(*years, 0, 0))
	if err != nil {
		return err
	}
	_, err = out.Write(certificate.PEM(x))
	return err
}

// open returns the key.
func open(ctx context.Context, kms, file string) (crypto.Signer, error) {
	switch {
	case (kms == "") == (file == ""):
		return nil, errors.New("name the key, by either -kms or -keys")
	case file != "":
		sealer, err := keys.SealerFromFile(file)
		if err != nil {
			return nil, err
		}
		return sealer(ctx)
	}
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	return keys.SealerFromKMS(awskms.New(settings), kms)(ctx)
}

func verify(out io.Writer, key crypto.Signer, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	chain, err := certificate.Check(key, text, time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, x := range chain {
		fmt.Fprintf(out, "%s, until %s\n", x.Subject, x.NotAfter.Format(time.DateOnly))
	}
	return nil
}
