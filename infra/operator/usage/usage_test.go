package usage_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/functions/tenants/company"
	days "github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/infra/operator/stage"
	"github.com/tenantry/tenantry/infra/operator/stagetest"
	"github.com/tenantry/tenantry/infra/operator/usage"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/listing"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// logs are the functions' logs of a test.
type logs struct{ asked []string }

func (l *logs) Between(_ context.Context, from, to time.Time) (map[tenant.ID]usage.Traffic, error) {
	const layout = "02T15:04"
	l.asked = append(l.asked, from.UTC().Format(layout)+"-"+to.UTC().Format(layout))
	return map[tenant.ID]usage.Traffic{1: {Requests: 70, Messages: 4, Read: 10.5, Write: 22}, 9: {Requests: 1}}, nil
}

func (l *logs) of(context.Context, *stage.Env) (usage.Logs, error) { return l, nil }

// now is on the 28th in Almaty, and still on the 27th in New York.
func now() time.Time { return time.Date(2026, time.November, 28, 1, 0, 0, 0, time.UTC) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// two makes companies 1 in Almaty, with a record, a file, and a plan that it is over, and 3 in New York; 2 is gone.
func two(t *testing.T) *stagetest.Stage {
	t.Helper()
	s := stagetest.New(t)
	s.Now = now
	must(t, crosstenant.Open(s.Conn).Update(crosstenant.Tenants()).Set("n", 3).Set("v", 1).Run(t.Context()))
	for id, zone := range map[tenant.ID]string{1: "Asia/Almaty", 3: "America/New_York"} {
		of := table.Of(s.Conn, id)
		c := company.Company{
			Item: table.At(of.Company(), company.Version), ID: int64(id), Name: "Acme", TimeZone: zone, Revision: 1,
			CreatedAt: time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC),
		}
		if id == 1 {
			c.Plan = &company.Plan{Records: 1}
		}
		must(t, of.Put(c).Run(t.Context()))
	}
	of := table.Of(s.Conn, 1)
	list := listing.Of(of, kinds.Category, nil)
	_, err := list.Reserve(t.Context(), 2)
	must(t, err)
	must(t, list.CreateMany(t.Context(), []int64{1, 2}, func(tx *table.Tx) ([]int64, error) {
		for _, id := range []int64{1, 2} {
			tx.Put(of.Create(table.At(of.Record(kinds.Category, id), 1)), nil)
		}
		return []int64{1, 2}, nil
	}))
	s.People(t, 1)
	e, _ := s.Env()
	for range 2 {
		_, err := e.Files.Put(t.Context(), 1, uuid.New(), "text/plain", []byte("12345"))
		must(t, err)
	}
	_, err = e.Files.Put(t.Context(), 11, uuid.New(), "text/plain", []byte("of another company"))
	must(t, err)
	month := of.Update(of.UsageMonth("2026-11")).Set("v", 1).Set("s27", 3).Set("c27", 45).Set("d27", 1)
	must(t, month.Run(t.Context()))
	return s
}

const sheet = "\uFEFFcompany,name,date,records,record_bytes,file_bytes,members,sms,sms_cost,seals,messages,requests,read_units,write_units\r\n" +
	"1,Acme,2026-11-26,,,,,0,0.00,0,4,70,10.5,22\r\n1,Acme,2026-11-27,2,64,10,1,3,45.00,1,4,70,10.5,22\r\n" +
	"3,Acme,2026-11-26,0,0,0,0,0,0.00,0,0,0,0,0\r\n"

// What companies had and used is counted by the days of each, and the logs are asked once for each span of time. Who counts again changes
// nothing, and asks no logs.
func TestUsage(t *testing.T) {
	s, l := two(t), new(logs)
	run := usage.RunWith(l.of)
	said, err := s.Run(t.Context(), run, "-csv")
	if err != nil || said != sheet {
		t.Errorf("%q, %v", said, err)
	}
	if want := "25T19:00-26T19:00 26T19:00-27T19:00 26T05:00-27T05:00"; strings.Join(l.asked, " ") != want {
		t.Errorf("asked %s", l.asked)
	}
	var c company.Company
	of := table.Of(s.Conn, 1)
	if err := of.Get(t.Context(), of.Company(), &c); err != nil || c.Full == 0 {
		t.Errorf("full %v, %v", c.Full, err)
	}
	must(t, of.Update(of.UsageMonth("2026-11")).Add("s27", 1).Run(t.Context()))
	if said, err := s.Run(t.Context(), run, "-csv"); err != nil || said != sheet || len(l.asked) != 3 {
		t.Errorf("again: %q, %v, asked %v", said, err, l.asked)
	}
	said, err = s.Run(t.Context(), run, "-tenant", "1", "-json", "-from", "2026-11-27", "-to", "2026-11-27")
	if want := `{"company":1,"date":"2026-11-27","file_bytes":10,"members":1,"messages":4,"name":"Acme","read_units":10.5,"record_bytes":64,` +
		`"records":2,"requests":70,"seals":1,"sms":3,"sms_cost":"45.00","write_units":22}` + "\n"; err != nil || said != want {
		t.Errorf("%s, %v", said, err)
	}
	for want, args := range map[string][]string{
		"is no day such as":     {"-from", "yesterday"},
		"is after -to":          {"-from", "2026-11-02", "-to", "2026-11-01"},
		"choose one":            {"-csv", "-json"},
		"there is no company 2": {"-tenant", "2"},
	} {
		if _, err := s.Run(t.Context(), run, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if said, err := s.Run(t.Context(), run, "-from", "2026-01-01", "-to", "2026-01-01"); err != nil || !strings.Contains(said, "No day of these is") {
		t.Errorf("%s, %v", said, err)
	}
	if _, err := s.Run(t.Context(), usage.Run, "-tenant", "3", "-from", "2026-11-26", "-to", "2026-11-26"); err != nil {
		t.Errorf("what is counted needs no stack: %v", err)
	}
}

// A day is counted when what was begun on it is written, too, and not at midnight.
func TestADayJustOver(t *testing.T) {
	s := two(t)
	for _, c := range [][2]int{{14, 1}, {16, 2}} { // after midnight in Almaty, between 27 and 28 November
		minutes, want := c[0], c[1]
		s.Now = func() time.Time { return time.Date(2026, time.November, 27, 19, minutes, 0, 0, time.UTC) }
		said, err := s.Run(t.Context(), usage.RunWith(new(logs).of), "-csv", "-tenant", "1")
		if days := strings.Count(said, "\r\n1,Acme,"); err != nil || days != want {
			t.Errorf("%d minutes after midnight %d days, not %d: %q, %v", minutes, days, want, said, err)
		}
	}
}

// Wherever it is killed, it ends the same when it is run again.
func TestKilled(t *testing.T) {
	stagetest.Killed(t, two, usage.RunWith(new(logs).of), []string{"-csv"}, func(t *testing.T, s *stagetest.Stage, said string) {
		list, err := days.Days(t.Context(), table.Of(s.Conn, 1), "2026-11-01", "2026-11-30")
		if err != nil || len(list) != 2 || said != sheet {
			t.Errorf("%+v, %v, %q", list, err, said)
		}
	})
}

// The command needs no more of the table than its policy allows, and uses all of that.
func TestRights(t *testing.T) {
	s := two(t)
	e := s.Judged(t, "usage", nil)
	unjudged, _ := s.Env()
	e.S3 = unjudged.S3
	if err := usage.RunWith(new(logs).of)(t.Context(), e, []string{"-csv"}); err != nil {
		t.Fatal(err)
	}
}
