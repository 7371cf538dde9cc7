package table_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/tenant"
)

func TestSortIDsSortAsNumbers(t *testing.T) {
	before := ""
	for _, id := range []int64{0, 1, 9, 10, 999, 1000, 123456789, table.MaxID} {
		sk := table.SortID(id)
		if back, err := table.ParseSortID(sk); err != nil || back != id || sk <= before {
			t.Errorf("%d is %q after %q, and read as %d, %v", id, sk, before, back, err)
		}
		before = sk
	}
	for _, none := range []int64{-1, table.MaxID + 1, 1 << 62, -1 << 63} {
		if sk := table.SortID(none); sk != "-" {
			t.Errorf("%d, which no record has, is %q", none, sk)
		}
	}
	for _, bad := range []string{"", "-", "1", "0000000000001", "00000000000x", "000000000001#"} {
		if id, err := table.ParseSortID(bad); err == nil {
			t.Errorf("%q is read as %d", bad, id)
		}
	}
}

func TestTenantOf(t *testing.T) {
	for partition, want := range map[string]tenant.ID{
		"T#7#doc": 7, "T#7#": 7, "T#123456#doc#gone": 123456,
		"": 0, "T#7": 0, "T##doc": 0, "T#0#doc": 0, "T#-1#doc": 0, "T#07#doc": 0, "T#x#doc": 0, "U#7": 0, "xT#7#doc": 0, "T#+7#doc": 0,
	} {
		if id, ok := table.TenantOf(partition); id != want || ok != (want != 0) {
			t.Errorf("%q is of %d, %v; want %d", partition, id, ok, want)
		}
	}
}

// The package doc lists each key that a handle can make, and no other.
func TestDocListsEveryKey(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	placeholder := strings.NewReplacer(
		"<tenant>", "7", "<kind>", "doc", "<id>", `(\d{12}|text)`, "<user>", `\d{12}`, "<uuid>", "text",
		"<bucket>", "", "<g>", "", "<s>", "", "<revision>", `\d{12}`, "<name>", "text", "<value>", "text", "<key>", "text", "<hash>", "text",
	)
	documented := map[string]*regexp.Regexp{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(T#\S+) +(\S+)`).FindAllStringSubmatch(string(source), -1) {
		sk := m[2]
		if strings.HasPrefix(sk, "<bucket>") {
			sk = "<bucket>" // the directory makes what comes after
		}
		documented[m[1]+" "+m[2]] = regexp.MustCompile("^" + placeholder.Replace(m[1]+" "+sk) + "$")
	}
	h := table.Of(tabletest.New(t), 7)
	built := map[string]string{}
	v := reflect.ValueOf(h)
	for method := range v.Type().Methods() {
		if method.Type.NumOut() != 1 {
			continue
		}
		args := []reflect.Value{v}
		for i := 1; i < method.Type.NumIn(); i++ {
			switch in := method.Type.In(i); in {
			case reflect.TypeFor[kinds.Code]():
				args = append(args, reflect.ValueOf(kinds.Document))
			case reflect.TypeFor[int64]():
				args = append(args, reflect.ValueOf(int64(123)))
			case reflect.TypeFor[string]():
				args = append(args, reflect.ValueOf("text"))
			}
		}
		if len(args) != method.Type.NumIn() {
			continue
		}
		switch out := method.Type.Out(0); {
		case out == reflect.TypeFor[table.Key]():
			key, _ := method.Func.Call(args)[0].Interface().(table.Key)
			built[method.Name] = key.PK + " " + key.SK
		case method.Name == "Directory":
			built[method.Name] = method.Func.Call(args)[0].String() + " "
		}
	}
	matched := map[string]bool{}
	for name, key := range built {
		for pattern, matches := range documented {
			if matches.MatchString(key) {
				matched[name], matched[pattern] = true, true
			}
		}
		if !matched[name] {
			t.Errorf("%s makes %q, which doc.go does not list", name, key)
		}
	}
	for pattern := range documented {
		if !matched[pattern] {
			t.Errorf("doc.go lists %q, which nothing makes", pattern)
		}
	}
	if len(built) < 8 || len(documented) < 8 {
		t.Errorf("%d keys, %d patterns", len(built), len(documented))
	}
	for _, k := range kinds.All() {
		kind := k.Code
		if len(kind) > 8 || strings.Contains(string(kind), "#") {
			t.Errorf("kind %q does not fit a key", kind)
		}
	}
}
