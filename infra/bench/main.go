// Command bench measures whether the platform keeps its promises of cost and speed. `make bench` runs the
// platform's own code on a real engine and writes docs/performance.json and the page docs/performance.md, which takes about half
// an hour. Single parts take less time. Their results are only printed, unless -write puts them in the place of the older ones:
//
//	go run ./infra/bench -only lists -documents 20000
//	go run ./infra/bench -only size,start -write
//	go run ./infra/bench -render # writes the page from the data
//
// A test never goes in here: a measurement that misses its bound is reported as missed, and nothing fails.
package main

//go:generate go run . -render

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tenantry/tenantry/infra/local/engine"
	"github.com/tenantry/tenantry/infra/local/samtemplate"
)

// What a whole run measures; less is for trying things.
const (
	allDocuments = 1_000_000
	allClients   = 100_000
)

// bench is one run.
type bench struct {
	root      string
	folder    string // for all files of the run; removed at the end
	template  *samtemplate.Template
	functions map[string]string // the logical ids of the template by groups
	documents int               // ids of the largest companies
	searched  int               // number of documents, or clients, of the company that is searched
	clients   int               // number of clients of the largest company
	samples   int               // number of requests of each kind
	out       io.Writer
	begun     time.Time

	stage    *stage            // made when it is first needed
	bigPages []priced          // pages and searches of large companies, for the table of prices
	texts    map[string]string // what placeholders of scenarios stand for
	months   int               // of which an account has postings, or metrics rows
	imported int               // people whom imports of scenarios have named
}

// part is one of the measurements: what run measures or prepares, and then its scenarios.
type part struct {
	name, title string
	run         func(*bench, context.Context, *section) error
}

// parts are in the order of the report. The lists come last, followed only by what needs their large companies and by the prices:
// they make the table large, and the other parts need a small one.
func parts() []part {
	return []part{
		{"size", "Size of the functions", (*bench).sizes},
		{"start", "Start of a function", (*bench).starts},
		{"own", "Our own time a request", (*bench).ownTime},
		{"authorizer", "The authorizer", (*bench).authorizer},
		{"create", "Creating a document", nil},
		{"creators", "Sixteen creators in one company", nil},
		{"platform", "The local platform, end to end", (*bench).platform},
		{"flood", "A company that sends too much", (*bench).flood},
		{"lanes", "A code behind the messages of another company", (*bench).lanes},
		{"writes", "Changing rental points and clients", nil},
		{"mechanisms", "What units of work are made of", (*bench).mechanisms},
		{"trade", "Services, inventory, leads and transactions", nil},
		{"ledger", "Accounts", (*bench).ledger},
		{"import", "Importing 1,000 clients", (*bench).imports},
		{"metrics", "Metrics", (*bench).metrics},
		{"client-search", "Filters and search in {searched} clients", (*bench).clientSearch},
		{"client-lists", "Lists of clients: pages of 20", (*bench).clientLists},
		{"search", "Search in {searched} documents", (*bench).search},
		{"lists", "Lists: pages of 20", (*bench).lists},
		{"grown", "Searches as a company grows", (*bench).grown},
		{"prices", "The price of a million of each request", (*bench).prices},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, out, problems io.Writer) (status int) {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(problems)
	only := flags.String("only", "", "comma-separated `parts` to measure, of "+strings.Join(names, ", "))
	write := flags.Bool("write", false, "with -only: put what is measured in the place of the older figures")
	onlyRender := flags.Bool("render", false, "measure nothing, and write docs/performance.md from docs/performance.json")
	documents := flags.Int("documents", allDocuments, "`number` of ids in the largest companies")
	clients := flags.Int("clients", allClients, "`number` of clients in the largest company")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen := names
	if *only != "" {
		chosen = strings.Split(*only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			fmt.Fprintf(problems, "bench: no part is called %q\n", name)
			return 2
		}
	}
	var err error
	switch {
	case *onlyRender:
		err = update(nil)
	case *write && *only != "" && (slices.Contains(chosen, "prices") || *documents != allDocuments || *clients != allClients):
		err = errors.New("-write takes companies of the usual size, and prices of a whole run: they need what other parts have asked for")
	default:
		err = measureAll(ctx, chosen, *documents, *clients, *write || *only == "", out)
	}
	if err != nil {
		fmt.Fprintf(problems, "bench: %v\n", err)
		return 1
	}
	return 0
}

// update puts sections into the data, and writes the page from it.
func update(sections []*section) error {
	root, err := engine.ModuleRoot()
	if err != nil {
		return err
	}
	known, err := readReport(filepath.Join(root, dataFile))
	if err != nil {
		return err
	}
	known.take(sections)
	return known.write(root)
}

// measureAll runs the chosen parts, and prints or writes what they found.
func measureAll(ctx context.Context, chosen []string, documents, clients int, write bool, out io.Writer) error {
	if documents < 1000 || clients < 1000 {
		return errors.New("-documents and -clients must be 1000 or more")
	}
	b := &bench{documents: documents, clients: clients, searched: 10_000, samples: 200, out: out}
	before := load()
	sections, err := b.measure(ctx, chosen)
	for _, s := range sections {
		s.Measured = described(b.begun, before)
	}
	if !write { // what was measured before a part failed is worth seeing
		content, encodeErr := (&report{Sections: sections}).encode()
		_, writeErr := out.Write(content)
		return errors.Join(err, encodeErr, writeErr)
	}
	if err != nil {
		return err
	}
	b.say("writing %s and %s", dataFile, pageFile)
	return update(sections)
}

// measure runs the chosen parts, one after the other, until one fails.
func (b *bench) measure(ctx context.Context, chosen []string) (sections []*section, err error) {
	b.begun, b.texts = time.Now(), map[string]string{}
	if b.root, err = engine.ModuleRoot(); err != nil {
		return nil, err
	}
	if b.template, err = samtemplate.Load(filepath.Join(b.root, "template.yaml")); err != nil {
		return nil, err
	}
	b.functions = map[string]string{}
	for id, f := range b.template.Functions {
		b.functions[f.Group()] = id
	}
	if b.folder, err = os.MkdirTemp("", "tenantry-bench-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.folder)
	defer func() {
		if b.stage != nil {
			b.stage.close()
		}
	}()
	for _, p := range parts() {
		if !slices.Contains(chosen, p.name) {
			continue
		}
		s := &section{Part: p.name, Title: b.fill(p.title, 0, nil)}
		b.say("%s …", p.name)
		if err := b.open(ctx); err != nil {
			return sections, err
		}
		if p.run != nil {
			err = p.run(b, ctx, s)
		}
		if err == nil {
			err = b.scenarios(ctx, s, p.name)
		}
		if err != nil {
			return sections, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, f := range s.Figures {
			b.say("  %s: %s (%s) %s", f.What, f.Measured, f.Bound, f.verdict())
		}
		sections = append(sections, s)
	}
	return sections, nil
}

// say prints a line of progress.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.out, "%6s  %s\n", time.Since(b.begun).Round(time.Second), fmt.Sprintf(format, args...))
}
