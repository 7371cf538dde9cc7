// Package usage is the operator's command that counts what companies had and used on days that are over, and prints it. It runs the day
// after, and again whenever it likes: a day that is counted stays as it is.
//
// What never goes in here: what is counted while it is used, and how a day is stored (functions/tenants/usage).
package usage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/infra/operator/companies"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/sheet"
	"github.com/tenantry/tenantry/shared/tenant"
)

// asked is what the flags say.
type asked struct {
	tenant    int64
	from, to  decode.Date
	csv, json bool
}

func read(e *stage.Env, args []string) (a asked, err error) {
	flags := e.Flags("usage")
	flags.Int64Var(&a.tenant, "tenant", 0, "the `number` of a company; 0: all companies")
	from := flags.String("from", "", "the first `day`, such as 2026-11-01; by default two before the last one")
	to := flags.String("to", "", "the last `day`; by default today: what is not over where a company is comes later")
	flags.BoolVar(&a.csv, "csv", false, "print a sheet, for bills")
	flags.BoolVar(&a.json, "json", false, "print JSON, a day a line")
	if err := stage.Parse(flags, args); err != nil {
		return a, err
	}
	today := e.Now().UTC()
	a.from, a.to = decode.Date(today.AddDate(0, 0, -2).Format(time.DateOnly)), decode.Date(today.Format(time.DateOnly))
	if *from != "" {
		a.from = decode.Date(*from)
	}
	if *to != "" {
		a.to = decode.Date(*to)
	}
	for _, d := range []decode.Date{a.from, a.to} {
		if _, ok := decode.ParseDate(string(d)); !ok {
			return a, fmt.Errorf("%q is no day such as 2026-11-27", d)
		}
	}
	switch {
	case a.from > a.to:
		return a, fmt.Errorf("-from %s is after -to %s", a.from, a.to)
	case a.csv && a.json:
		return a, errors.New("choose one of -csv and -json")
	case a.tenant < 0:
		return a, errors.New("name the company with -tenant")
	}
	return a, e.NeedsBucket()
}

// Run counts what is missing, and prints all of the period.
func Run(ctx context.Context, e *stage.Env, args []string) error {
	return RunWith(of)(ctx, e, args)
}

// RunWith is Run with other logs.
func RunWith(logs func(ctx context.Context, e *stage.Env) (Logs, error)) func(ctx context.Context, e *stage.Env, args []string) error {
	return func(ctx context.Context, e *stage.Env, args []string) error {
		a, err := read(e, args)
		if err != nil {
			return err
		}
		c := &collector{e: e, traffic: map[span]map[tenant.ID]Traffic{}}
		list, err := c.companies(ctx, a)
		if err != nil {
			return err
		}
		todo, days := make([][]decode.Date, len(list)), 0
		for i, k := range list {
			if todo[i], err = c.missing(ctx, k, a.from, a.to); err != nil {
				return err
			}
			days += len(todo[i])
		}
		if days > 0 {
			if c.logs, err = logs(ctx, e); err != nil {
				return err
			}
			if err := ask(e, a, days, len(list)); err != nil {
				return err
			}
		}
		for i, k := range list {
			for _, date := range todo[i] {
				if err := c.count(ctx, k, date); err != nil {
					return err
				}
			}
		}
		return c.print(ctx, a, list)
	}
}

// Nightly counts what is missing of the last days of all companies, as a step of what is done nightly. A company that fails keeps none of
// the others.
func Nightly(ctx context.Context, e *stage.Env) (did string, err error) {
	quiet := *e
	quiet.Yes = true
	a, err := read(&quiet, nil)
	if err != nil {
		return "", err
	}
	c := &collector{e: &quiet, traffic: map[span]map[tenant.ID]Traffic{}}
	last, err := companies.Last(ctx, e)
	if err != nil {
		return "", err
	}
	days := 0
	for id := tenant.ID(1); id <= last && ctx.Err() == nil; id++ {
		n, failed := c.night(ctx, a, id)
		if days += n; failed != nil {
			err = errors.Join(err, fmt.Errorf("company %d: %w", id, failed))
		}
	}
	return fmt.Sprintf("%d days are counted", days), err
}

// night counts what is missing of a company.
func (c *collector) night(ctx context.Context, a asked, id tenant.ID) (days int, err error) {
	k, err := c.company(ctx, id)
	if err != nil || k == nil {
		return 0, err
	}
	todo, err := c.missing(ctx, k, a.from, a.to)
	if err != nil {
		return 0, err
	}
	for _, date := range todo {
		if c.logs == nil {
			if c.logs, err = of(ctx, c.e); err != nil {
				return days, err
			}
		}
		if err := c.count(ctx, k, date); err != nil {
			return days, err
		}
		days++
	}
	return days, nil
}

// ask asks whether to count. A sheet and JSON are for other programs: nothing is said before them.
func ask(e *stage.Env, a asked, days, companies int) error {
	switch {
	case !a.csv && !a.json:
		return e.Ask(fmt.Sprintf("This counts what %d companies had and used: %d days that are over and not counted. The logs are asked "+
			"once for each day. A day that is counted stays as it is.", companies, days))
	case !e.Yes:
		return errors.New("days that are not counted are counted first: say -yes, or leave out -csv and -json")
	}
	return nil
}

// companies are those that are asked for and there.
func (c *collector) companies(ctx context.Context, a asked) (list []*counted, err error) {
	if a.tenant > 0 {
		k, err := c.company(ctx, tenant.ID(a.tenant))
		if err == nil && k == nil {
			err = fmt.Errorf("there is no company %d", a.tenant)
		}
		return []*counted{k}, err
	}
	last, err := companies.Last(ctx, c.e)
	if err != nil {
		return nil, err
	}
	for id := tenant.ID(1); id <= last; id++ {
		k, err := c.company(ctx, id)
		if err != nil {
			return nil, err
		}
		if k != nil {
			list = append(list, k)
		}
	}
	return list, nil
}

// print prints the days of the period.
func (c *collector) print(ctx context.Context, a asked, list []*counted) error {
	titles := append([]string{"company", "name"}, usage.Titles()...)
	var row func(k *counted, d usage.Day) error
	end := func() error { return nil }
	switch {
	case a.csv:
		w, err := sheet.NewWriter(c.e.Out, sheet.CSV, titles)
		if err != nil {
			return err
		}
		row = func(k *counted, d usage.Day) error {
			return w.Row(append([]sheet.Cell{sheet.Number(strconv.FormatInt(k.ID, 10)), sheet.Text(k.Name)}, d.Cells()...))
		}
		end = w.Close
	case a.json:
		to := json.NewEncoder(c.e.Out)
		row = func(k *counted, d usage.Day) error { return to.Encode(line(k, d, titles)) }
	default:
		w := tabwriter.NewWriter(c.e.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, strings.Join(titles, "\t")+"\t")
		row = func(k *counted, d usage.Day) error {
			texts := []string{strconv.FormatInt(k.ID, 10), stage.Plain(k.Name)}
			for _, cell := range d.Cells() {
				texts = append(texts, cell.String())
			}
			_, err := fmt.Fprintln(w, strings.Join(texts, "\t")+"\t")
			return err
		}
		end = w.Flush
	}
	some := false
	for _, k := range list {
		days, err := usage.Days(ctx, k.of, a.from, a.to)
		if err != nil {
			return err
		}
		some = some || len(days) > 0
		for _, d := range days {
			if err := row(k, d); err != nil {
				return err
			}
		}
	}
	if err := end(); err != nil || some || a.csv || a.json {
		return err
	}
	c.e.Say("No day of these is counted yet: a day is counted when it has been over for a quarter of an hour.")
	return nil
}

// line is a day as JSON. What is not known is null.
func line(k *counted, d usage.Day, titles []string) map[string]any {
	v := map[string]any{titles[0]: k.ID, titles[1]: k.Name}
	for i, cell := range d.Cells() {
		name, text := titles[i+2], cell.String()
		switch {
		case text == "":
			v[name] = nil
		case name == "date" || name == "sms_cost":
			v[name] = text
		default:
			v[name] = json.Number(text)
		}
	}
	return v
}
