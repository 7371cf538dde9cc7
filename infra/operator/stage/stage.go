// Package stage is a stage as the operator's commands see it: the connections to its table, its bucket and what else of AWS a command
// names, and how a command tells what it will do and asks whether to go on.
//
// What never goes in here: what a command does, and any rule about companies.
package stage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/shared/files"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Command is one of the operator's commands.
type Command struct {
	Name string
	Says string // one line: what it does
	Run  func(ctx context.Context, e *Env, args []string) error
}

// Env is what a command works with.
type Env struct {
	Table  string                    // the table's name
	DB     dynamodbiface.DynamoDBAPI // for what no handle reaches; reads of Conn and writes of Conn go by it
	Conn   *table.Conn
	Bucket string // the bucket's name; empty where none was named
	S3     *s3.Client
	Files  *files.Store
	Stack  Stack      // nil where none was named
	AWS    aws.Config // region and credentials
	// Endpoints are the addresses of APIs that are not AWS's own, by the names of their variables: KMS_ENDPOINT.
	Endpoints map[string]string
	Local     string // the address of the platform on this machine; empty for a stage on AWS
	KeysFile  string // of that platform
	Now       func() time.Time
	In        io.Reader
	Out       io.Writer
	Yes       bool // nobody is asked
}

// ErrUnconfirmed says that nobody has confirmed what was to be done, so that nothing was.
var ErrUnconfirmed = errors.New("not confirmed: nothing was done")

// Say prints a line.
func (e *Env) Say(format string, args ...any) {
	fmt.Fprintf(e.Out, format+"\n", args...)
}

// Ask prints what will be done, a sentence a line, and asks once whether to do it. It is ErrUnconfirmed unless the answer is y or yes.
func (e *Env) Ask(what ...string) error {
	for _, line := range what {
		e.Say("%s", line)
	}
	if e.Yes {
		return nil
	}
	fmt.Fprint(e.Out, "Go on? Type y: ")
	answer, err := line(e.In)
	switch {
	case errors.Is(err, io.EOF) && answer == "":
		e.Say("")
		return fmt.Errorf("%w, because nobody answered; scripts say -yes", ErrUnconfirmed)
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return ErrUnconfirmed
}

// line reads to the end of a line and not further: who asks next reads what follows.
func line(from io.Reader) (string, error) {
	var text []byte
	for one := make([]byte, 1); ; {
		n, err := from.Read(one)
		if n == 1 {
			if one[0] == '\n' {
				return string(text), nil
			}
			text = append(text, one[0])
		}
		if err != nil {
			return string(text), err
		}
	}
}

// Flags are the flags of a command. -yes may stand among them too.
func (e *Env) Flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(e.Out)
	f.BoolVar(&e.Yes, "yes", e.Yes, "ask nobody")
	return f
}

// Parse reads the flags of a command, which takes no other words.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 { // such as the 000 of an amount that was written as 5 000
		return fmt.Errorf("%q belongs to no flag: quote what has spaces", f.Arg(0))
	}
	return nil
}

// At is the configuration for a client of an API, such as KMS.
func (e *Env) At(api string) aws.Config {
	config := e.AWS.Copy()
	if address := e.Endpoints[api+"_ENDPOINT"]; address != "" {
		config.BaseEndpoint = aws.String(address)
	}
	return config
}

// NeedsBucket is an error unless a bucket was named.
func (e *Env) NeedsBucket() error {
	if e.Bucket == "" {
		return errors.New("this needs the bucket: name it with -bucket")
	}
	return nil
}

// Of is one company's part of the table.
func (e *Env) Of(id tenant.ID) *table.Tenant { return table.Of(e.Conn, id) }

// Company is the item of a company as far as commands tell of it.
type Company struct {
	table.Item
	Name string `dynamo:"n"`
}

// Company reads a company. It is an error that says so if there is none.
func (e *Env) Company(ctx context.Context, id tenant.ID) (c Company, err error) {
	if id <= 0 {
		return c, errors.New("name the company with -tenant")
	}
	of := e.Of(id)
	err = of.Get(ctx, of.Company(), &c)
	if errors.Is(err, table.ErrNotFound) {
		return c, fmt.Errorf("there is no company %d", id)
	}
	return c, err
}
