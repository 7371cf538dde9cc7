package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

// Numbers are found by any part of their digits, beside the text; each word may
// be found elsewhere.
func TestDigits(t *testing.T) {
	s := newStore(tabletest.New(t), 7)
	s.index.Digits = func(e search.Entry) (list []string) {
		if p := e.Number("p"); p != 0 {
			list = append(list, fmt.Sprint(p), "8"+fmt.Sprint(p)[1:])
		}
		if i := e.Number("i"); i != 0 {
			list = append(list, fmt.Sprintf("%012d", i))
		}
		return list
	}
	long := strings.Repeat("очень длинное имя ", 10) + "№55"
	people := []struct {
		name    string
		numbers map[string]int64
	}{
		{"Иванов", map[string]int64{"p": 77011234567, "i": 850101300123, "s": 9}},
		{"Ахметова 7701", map[string]int64{"p": 77770000001}},
		{"Ким", map[string]int64{"i": 1203501}}, // 000001203501
		{long, map[string]int64{"p": 77079990000, "i": 990101400999}},
		{long + " 1234", map[string]int64{"s": 1}},
		{"Без чисел", nil},
	}
	s.fill(t, len(people), func(id int64) record {
		p := people[id-1]
		return record{
			Item: table.At(s.Record(kind, id), 1), Name: p.name,
			Indexed: search.New(s.Tenant, kind, search.Values{Name: p.name, Numbers: p.numbers}, search.TextBytes),
		}
	})
	for text, want := range map[string][]int64{
		"+77011234567":   {1},
		"1234567":        {1},
		"7701":           {2, 1},
		"иванов 8501":    {1},
		"ахметова 8501":  nil,
		"000001203501":   {3},
		"00":             {4, 3, 2, 1},
		"000000000000":   nil, // who has no number has not this one either
		"очень 9990000":  {4},
		"55 400999":      {4}, // one word in the rest of the text, one in a number
		"1234":           {5, 1},
		"55 1234":        {5},
		"+":              nil,
		"+1234":          {1},
		"1234+":          {1},
		"(701) 123-45":   {1},
		"8701":           {1}, // in another spelling
		"8 701 8501":     {1}, // one word in each number
		"-":              nil,
		"()":             nil,
		"9":              {4}, // s is no number that is searched
		"8501013001234":  nil,
		"850101300123 9": nil,
	} {
		items, count, err := s.index.Page(t.Context(), search.Query{Words: search.Words(text), Size: 20})
		if err != nil || count != len(items) || !slices.Equal(ids(items), want) {
			t.Errorf("%q: %v of %d, %v; want %v", text, ids(items), count, err, want)
		}
	}
}
