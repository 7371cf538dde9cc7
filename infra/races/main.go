// Command races proves that a platform books no item twice, and loses no money, whatever runs at the same moment. It sees
// the platform through its HTTP API alone.
//
//	go run ./infra/races -n 10000
//	go run ./infra/races -n 10000 -kill 20
//	go run ./infra/races -url http://127.0.0.1:8000
//
// Sixteen clerks work on five items of a new company, until they have sent so many requests (package
// clerks). Then it checks everything that they have made, prints what it has counted, and exits with
// 1 if anything is wrong.
//
// Without -url it starts a local platform of its own, at a free port. With -kill it kills this platform so many times in
// the middle of the work, with SIGKILL, and starts it again on the same data; before the clerks go on it checks everything, and it ends
// at the first kill after which something is wrong. A run with 10,000 requests and 20 kills takes three minutes on two idle
// cores, and many more where others use them.
//
// On a platform that runs already, which has to let a caller send as much (make run RUN=-unlimited), it
// signs in with RACES_USERNAME and RACES_PASSWORD, or as the demo
// company's user. The company that it makes stays.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/infra/races/clerks"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// settings are what the command line says.
type settings struct {
	url                      string
	n, writers, kills, tries int
	seed                     uint64
}

func parse(args []string, problems io.Writer) (s settings, err error) {
	flags := flag.NewFlagSet("races", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&s.url, "url", "", "the `address` of a platform that runs; empty starts one")
	flags.IntVar(&s.n, "n", 10_000, "how many requests the clerks send, all together")
	flags.IntVar(&s.writers, "writers", 16, "how many clerks there are")
	flags.IntVar(&s.kills, "kill", 0, "how often the platform is killed meanwhile")
	flags.IntVar(&s.tries, "alone", 200, "how many bookings are tried at the end, alone")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "what decides about what the clerks do")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.url != "" && s.kills > 0 {
		err = errors.New("races: -kill is for a platform that is started, not for -url")
		fmt.Fprintln(problems, err)
	}
	return s, err
}

// most is the time after which it gives up.
const most = time.Hour

func run(ctx context.Context, args []string, getenv func(string) string, out, problems io.Writer) (status int) {
	s, err := parse(args, problems)
	if err != nil {
		return 2
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	wrong, err := race(ctx, s, getenv, out)
	for _, one := range wrong {
		fmt.Fprintln(out, "WRONG", one)
	}
	if err != nil {
		fmt.Fprintln(problems, "races:", err)
	}
	if err != nil || len(wrong) > 0 {
		return 1
	}
	fmt.Fprintln(out, "nothing is wrong")
	return 0
}

// race lets the clerks work, and returns what is wrong.
func race(ctx context.Context, s settings, getenv func(string) string, out io.Writer) ([]string, error) {
	st := &stage{url: strings.TrimSuffix(s.url, "/")}
	if s.url == "" {
		defer st.end()
		if err := st.begin(ctx); err != nil {
			return nil, err
		}
	}
	if err := st.company(ctx, getenv); err != nil {
		return nil, err
	}
	office, err := clerks.Open(ctx, st.call, time.Now)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d clerks, %d items, company %s, seed %d\n", s.writers, clerks.Items, st.tenant, s.seed)
	start := time.Now()
	var work sync.WaitGroup
	for range s.writers {
		clerk := office.Hire(st.call, s.seed)
		work.Go(func() {
			for ctx.Err() == nil && office.Requests() < s.n {
				clerk.Act(ctx)
			}
		})
	}
	killed, wrong, err := st.killOften(ctx, s, office)
	work.Wait()
	for i := range wrong {
		wrong[i] = fmt.Sprintf("after kill %d: %s", killed, wrong[i])
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return append(wrong, office.Problems()...), err
	}
	tell(out, office, time.Since(start), killed)
	start = time.Now()
	found, atEnd := office.Audit(ctx, st.call, s.tries)
	fmt.Fprintf(out, "checked in %.1f s: %d orders with %d lines, %d swaps, %d holds that have ended, %d deposits, %d referrals; "+
		"%d blocks, %d postings, %d items; of %d bookings alone %d were refused\n%d overlaps\n",
		time.Since(start).Seconds(), found.Orders, found.Lines, found.Swapped, found.Expired, found.Deposits, found.Referrals,
		found.Blocks, found.Payments, found.Items, found.Probes, found.Refused, found.Overlaps)
	return append(wrong, atEnd...), nil
}

// tell prints what the clerks have done.
func tell(out io.Writer, office *clerks.Office, took time.Duration, killed int) {
	counts := office.Counts()
	sums, never := map[string]int{}, map[string]bool{}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "%7d  %s\n", counts[what], what)
		act, outcome, refused := strings.Cut(what, ", ")
		if !refused {
			outcome = "2xx"
		} else if counts[act] == 0 {
			never[act] = true
		}
		sums[outcome] += counts[what]
	}
	for _, act := range slices.Sorted(maps.Keys(never)) {
		fmt.Fprintf(out, "never: %s\n", act)
	}
	fmt.Fprintf(out, "%d requests in %.1f s, %d kills:", office.Requests(), took.Seconds(), killed)
	for _, outcome := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(out, " %d %s;", sums[outcome], outcome)
	}
	fmt.Fprintln(out)
}
