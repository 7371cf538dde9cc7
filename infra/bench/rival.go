package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/infra/local/platform"
)

const (
	rivalRounds = 100              // of all queries, on both sides in turns
	rivalWarm   = 5                // rounds before them
	settling    = 40 * time.Second // which the worker needs a part of after imports
	rivalBound  = 1.5              // times PocketBase's median
)

// rival compares lists and searches with PocketBase, which keeps its records in SQLite beside it: the same records,
// one client, HTTP on this machine.
func (b *bench) rival(ctx context.Context, r *section) error {
	r.Title = "Lists and searches beside PocketBase, of " + thousands(b.searched) + " clients"
	people := make([]person, b.searched)
	for i := range people {
		people[i] = individual(i)
		if i%5 == 4 {
			people[i] = legalEntity(i)
		}
	}
	ours, stop, err := b.oursFilled(ctx, people)
	if err != nil {
		return err
	}
	defer stop()
	theirs, quit, err := b.pocketBase(ctx, people)
	if err != nil {
		b.say("  no PocketBase: %v", err)
		r.text("PocketBase is left out: %v.", err)
	} else {
		defer quit()
	}
	return compare(ctx, r, people, ours, theirs)
}

// oursFilled starts the local platform, as `make run` does, with clients.
func (b *bench) oursFilled(ctx context.Context, people []person) (*caller, func(), error) {
	p, err := platform.Start(ctx, platform.Options{Addr: "127.0.0.1:0", Demo: true, Out: io.Discard})
	if err != nil {
		return nil, nil, err
	}
	c, err := wholePlatform(ctx, p)
	if err == nil {
		err = c.found(ctx)
	}
	for _, kind := range []string{"individual", "legal"} {
		var data []map[string]string
		for _, one := range people {
			if row := one.row(); (one.bin != "") == (kind == "legal") {
				data = append(data, row)
			}
		}
		for ; err == nil && len(data) > 0; data = data[min(len(data), importRows):] {
			err = c.send(ctx, clientsPath+"import/"+kind+"/", map[string]any{"data": data[:min(len(data), importRows)]}, &struct{}{})
		}
	}
	if err == nil {
		b.say("  waiting until the worker has merged the imports")
		err = settle(ctx)
	}
	if err != nil {
		p.Close()
		return nil, nil, err
	}
	return c, p.Close, nil
}

// settle gives the worker time to put imports into segments and to remove their ranges.
func settle(ctx context.Context) error {
	select {
	case <-time.After(settling):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// row is a person as both sides take it.
func (p person) row() map[string]string {
	row := map[string]string{"name": p.name, "phone": p.phone}
	if p.iin != "" {
		row["iin"] = p.iin
	} else {
		row["bin"] = p.bin
	}
	return row
}

// found makes a company for the caller, because the demo company has clients of its own.
func (c *caller) found(ctx context.Context) error {
	var made struct{ ID int64 }
	err := c.send(ctx, "/v1/tenant/", map[string]string{
		"name": "Rival", "domain": "rival", "address": "Abay Ave 10, Almaty", "country": "KZ", "currency": "KZT", "timezone": "Asia/Almaty",
	}, &made)
	c.company = made.ID
	return err
}

// send posts a body to the platform, and decodes the answer.
func (c *caller) send(ctx context.Context, path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	c.sign(request)
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: %d %.300s", path, answer.StatusCode, content)
	}
	return json.Unmarshal(content, into)
}

// sign says who calls, and for which company.
func (c *caller) sign(request *http.Request) {
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.company != 0 {
		request.Header.Set("X-Tenant-Id", strconv.FormatInt(c.company, 10))
	}
}

// pocketBase builds PocketBase, which has a module of its own, and starts it with the same records.
func (b *bench) pocketBase(ctx context.Context, people []person) (c *caller, quit func(), err error) {
	b.say("  building PocketBase")
	program := filepath.Join(b.folder, "pocketbase")
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(b.root, "infra", "bench", "pocketbase"), "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("it can't be built: %w: %.300s", err, out)
	}
	rows := make([]map[string]string, len(people))
	for i, one := range people {
		rows[i] = map[string]string{"name": one.name, "phone": one.phone, "iin": one.iin + one.bin, "state": one.state()}
	}
	records, err := json.Marshal(rows)
	if err != nil {
		return nil, nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, nil, err
	}
	server := exec.CommandContext(ctx, program, address, filepath.Join(b.folder, "pb_data"))
	server.Stdin, server.Stderr = bytes.NewReader(records), os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	quit = func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
	}
	token, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		quit()
		return nil, nil, fmt.Errorf("it does not start: %w: %s", err, token)
	}
	return &caller{url: "http://" + address, token: strings.TrimSpace(token), http: &http.Client{}}, quit, nil
}

// state is the field that both sides filter by: individual or legal entity.
func (p person) state() string {
	if p.bin != "" {
		return "1"
	}
	return "0"
}

// get reads a list; count is the number of all that match.
func (c *caller) get(ctx context.Context, target string) (count int, took time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+target, nil)
	if err != nil {
		return 0, 0, err
	}
	c.sign(request)
	start := time.Now()
	content, err := c.do(request)
	took = time.Since(start)
	var l struct {
		Count      int `json:"count"`
		TotalItems int `json:"totalItems"`
	}
	if err == nil {
		err = json.Unmarshal(content, &l)
	}
	return l.Count + l.TotalItems, took, err
}

// query is one list as each side is asked for it.
type query struct{ what, ours, filter, sort string }

// side is one of the two that are compared.
type side struct {
	*caller
	name   string
	target func(query) string
}

// mine is the query to the platform.
func (q query) mine() string { return fmt.Sprintf("%s?pageSize=%d&%s", clientsPath, pageSize, q.ours) }

// theirs is the query to PocketBase, and open that to its collection which everybody sees.
func (q query) theirs() string { return q.of("clients") }
func (q query) open() string   { return q.of("open") }

func (q query) of(collection string) string {
	return fmt.Sprintf("/api/collections/%s/records?perPage=%d&filter=%s&sort=%s", collection, pageSize,
		url.QueryEscape(q.filter), url.QueryEscape(q.sort))
}

// compare sends each query to both sides in turns, and reports the times. theirs is nil if there is no other side.
func compare(ctx context.Context, r *section, people []person, ours, theirs *caller) error {
	some := people[len(people)/2]
	queries := []query{
		{"the newest", "", "", "-@rowid"},
		{"by a word of the name", "search=" + url.QueryEscape("ахметов"), `name ~ "Ахметов"`, "-@rowid"},
		{"by digits of the phone", "search=" + some.phone[5:], fmt.Sprintf(`phone ~ %q`, some.phone[5:]), "-@rowid"},
		{"by the whole IIN", "iin=" + some.iin, fmt.Sprintf(`iin = %q`, some.iin), "-@rowid"},
		{"by the state", "type=1", `state = "1"`, "-@rowid"},
		{"by a word, the state and the name", "search=caspian&type=1&ordering=name", `name ~ "Caspian" && state = "1"`, "name"},
		{"in the order of names", "ordering=name", "", "name"},
	}
	sides := []side{{ours, "ours", query.mine}}
	if theirs != nil {
		sides = append(sides, side{theirs, "theirs", query.theirs}, side{theirs, "open", query.open})
	}
	took := map[string][]time.Duration{}
	counts := make([]int, len(queries))
	for round := range rivalWarm + rivalRounds {
		for i, q := range queries {
			for _, side := range sides {
				count, one, err := side.get(ctx, side.target(q))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", q.what, side.name, err)
				}
				switch {
				case count == 0:
					return fmt.Errorf("%s: %s find none", q.what, side.name)
				case counts[i] == 0:
					counts[i] = count
				case count != counts[i]:
					return fmt.Errorf("%s: the sides find %d and %d", q.what, counts[i], count)
				}
				if round >= rivalWarm {
					took[q.what+side.name] = append(took[q.what+side.name], one)
				}
			}
		}
	}
	worst, slowest := 0.0, ""
	rows := [][]string{{"List", "Matches", "Ours p50", "p95", "PocketBase p50", "p95", "without a rule p50", "p95"}}
	for i, q := range queries {
		row := []string{q.what, thousands(counts[i])}
		for _, side := range []string{"ours", "theirs", "open"} {
			if times := took[q.what+side]; times != nil {
				row = append(row, ms(median(times)), ms(percentile(times, 0.95)))
			} else {
				row = append(row, "", "")
			}
		}
		if times := took[q.what+"theirs"]; times != nil {
			if ratio := float64(median(took[q.what+"ours"])) / float64(median(times)); ratio > worst {
				worst, slowest = ratio, q.what
			}
		}
		rows = append(rows, row)
	}
	if theirs != nil {
		r.judgeTime("lists and searches of "+thousands(len(people))+" clients, p50 against PocketBase", worst <= rivalBound,
			fmt.Sprintf("≤ %g times", rivalBound), "%.2f times at most (%s)", worst, slowest)
	}
	r.table(rows)
	r.text("%s", strings.TrimSpace(fmt.Sprintf(`
Pages of %d, %d times each, all sides in turns on one machine, one client, who is signed in and sees the records of his company only.
Ours is all that `+"`make run`"+` runs: HTTP, the gateway, the authorizer, the function and the engine of the table, each answer as on
AWS. PocketBase is one process with SQLite in it; a rule of its collection compares the company, and its indexes begin with the company.
Without a rule, its collection shows everything to everybody, so nothing has to be compared: that is what it takes at the least, and
is not what the bound is about. A state is the type of a client, individual or legal.`,
		pageSize, rivalRounds)))
	return nil
}
