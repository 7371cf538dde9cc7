package command

import (
	"context"
	"flag"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Flags are -table, -bucket and -tenant.
type Flags struct {
	table, bucket string
	tenant        int64
}

// Define adds the flags to those of a command.
func Define(of *flag.FlagSet) *Flags {
	f := new(Flags)
	of.StringVar(&f.table, "table", "", "the `name` of the table")
	of.StringVar(&f.bucket, "bucket", "", "the `name` of the bucket")
	of.Int64Var(&f.tenant, "tenant", 0, "the `number` of the company")
	return f
}

// Complete tells whether all three were given, and the company's number can be one.
func (f *Flags) Complete() bool { return f.table != "" && f.bucket != "" && f.tenant > 0 }

// Company is one company's data: its part of the table, and the files of all companies.
type Company struct {
	Table *table.Tenant
	Conn  *table.Conn
	Files *files.Store
	AWS   aws.Config // what the connections were made of
}

// Open makes the connections that the flags and the environment name. It sends nothing yet.
func (f *Flags) Open(ctx context.Context) (*Company, error) {
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	conn := table.Connect(settings, os.Getenv("DYNAMODB_ENDPOINT"), f.table)
	return &Company{
		Table: table.Of(conn, tenant.ID(f.tenant)), Conn: conn, AWS: settings,
		Files: files.New(files.Options{
			Bucket: f.bucket, Endpoint: os.Getenv("S3_ENDPOINT"),
			Config: func(context.Context) (aws.Config, error) { return settings, nil },
		}),
	}, nil
}
