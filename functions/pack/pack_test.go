package pack_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/functions/pack"
	"github.com/tenantry/tenantry/functions/pack/job"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Others would disturb a merge that took longer than they leave the kind to it.
func TestAMergeHasAnInvocation(t *testing.T) {
	content, err := os.ReadFile("group.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var group struct {
		Timeout int `yaml:"timeout"`
	}
	if err := yaml.Unmarshal(content, &group); err != nil {
		t.Fatal(err)
	}
	if of := time.Duration(group.Timeout) * time.Second; of <= 0 || of > search.BusyFor {
		t.Errorf("an invocation may take %s, and others leave a kind to it for %s", of, search.BusyFor)
	}
}

// Who looks for the cause of segments that are lost again and again finds a line for each time.
func TestLostSegmentsAreLogged(t *testing.T) {
	const company = 5
	type segment struct {
		ID uuid.UUID `dynamo:"i"`
	}
	var log bytes.Buffer
	env := app.Env{Table: tabletest.New(t), Files: filestest.Away(), Now: time.Now, NewUUID: uuid.New, Log: &log}
	of := table.Of(env.Table, company)
	if err := of.Put(struct {
		table.Item
		Revision int64     `dynamo:"n"`
		Built    bool      `dynamo:"b"`
		Segments []segment `dynamo:"s"`
	}{table.At(of.Manifest(kinds.Client), 1), 1, true, make([]segment, 2)}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked, err := json.Marshal(job.Request{Company: company, Kind: kinds.Client})
	if err != nil {
		t.Fatal(err)
	}
	function := pack.New(env)
	const want = `{"level":"error","function":"pack","tenant":5,"kind":"cli","result":"anew",` +
		`"error":"search: a manifest that no merge has written"}` + "\n"
	for range 2 { // the second time, nothing is lost any more
		if _, err := function(t.Context(), asked); err != nil || log.String() != want {
			t.Fatalf("logged %s, %v, want %s", log.String(), err, want)
		}
	}
	if _, err := function(t.Context(), []byte(`{"company":5,"kind":"none"}`)); err == nil || !strings.Contains(err.Error(), "nobody searches") {
		t.Errorf("a kind that is not searched: %v", err)
	}
}
