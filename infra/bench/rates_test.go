package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The prices in the report are those of the region in which the stages are: its text names that region, and each row has the
// region's price of the gateway, and of the units that the request and its authorizer take of the table.
func TestTheReportHasThePricesOfTheStages(t *testing.T) {
	region, err := stageRegion("../../samconfig.toml")
	if err != nil {
		t.Fatal(err)
	}
	at, known := prices[region]
	if !known {
		t.Fatalf("there are no prices of %s", region)
	}
	report, err := readReport("../../docs/performance.json")
	if err != nil {
		t.Fatal(err)
	}
	var table [][]string
	said := ""
	for _, of := range report.Sections {
		for _, b := range of.Blocks {
			if of.Part == "prices" {
				table, said = append(table, b.Rows...), said+b.Text
			}
		}
	}
	if want := "list prices of " + region + ", " + at.name + ", of " + priceDate; !strings.Contains(said, want) {
		t.Errorf("the report doesn't say %q", want)
	}
	reads := regexp.MustCompile(`it reads\s+([0-9.]+) units`).FindStringSubmatch(said)
	if reads == nil {
		t.Fatal("the report doesn't say what the authorizer reads")
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, cells := range table {
		units := (number(cells[2])+number(reads[1]))*at.readUnit + number(cells[3])*at.writeUnit
		sum := 0.0
		for _, cell := range cells[6:11] {
			sum += number(cell)
		}
		// Each is rounded to a hundredth.
		if math.Abs(number(cells[6])-at.gatewayRequest) > 0.0051 || math.Abs(number(cells[8])-units) > 0.0051 ||
			math.Abs(number(strings.Trim(cells[11], "*"))-sum) > 0.031 {
			t.Errorf("other prices than those of %s: %s", region, strings.Join(cells, " | "))
		}
	}
	if rows := len(table); rows < 100 {
		t.Errorf("%d rows", rows)
	}
}

func TestStageRegion(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"one":     {"region = \"eu-central-1\"\nx = 1\nregion = \"eu-central-1\"\n", "eu-central-1"},
		"two":     {"region = \"eu-central-1\"\nregion = \"eu-west-1\"\n", ""},
		"unknown": {"region = \"a-1\"\n", ""},
		"none":    {"x = 1\n", ""},
		"no file": {"", ""},
	} {
		path := filepath.Join(t.TempDir(), "samconfig.toml")
		if tt.text != "" {
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := stageRegion(path); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
