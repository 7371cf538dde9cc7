package table_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
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
	for _, bad := range []string{"", "-", "1", "0000000000001", "00000000000x", "000000000001#", "+00000000001", "-00000000001"} {
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

// The key of a long value is text, which comes back as it was sent.
func TestReservationsOfLongValues(t *testing.T) {
	h, seen := table.Of(tabletest.New(t), 7), map[table.Key]bool{}
	for n := range 5 {
		for _, end := range []string{"a", "b"} {
			k := h.Reservation("cli.iin", strings.Repeat("x", n)+strings.Repeat("€", 250)+end)
			if !utf8.ValidString(k.SK) || len(k.SK) > 1024 || seen[k] {
				t.Errorf("%q", k.SK)
			}
			seen[k] = true
			if err := h.Put(table.At(k, 1)).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got table.Item
			if err := h.Get(t.Context(), k, &got); err != nil || got.Key() != k {
				t.Errorf("%q came back as %q, %v", k.SK, got.SK, err)
			}
		}
	}
}

// Every key that a handle makes is registered, and nothing is registered of a
// company that no handle makes.
func TestEveryKeyIsRegistered(t *testing.T) {
	conn := tabletest.New(t)
	h, made := table.Of(conn, 7), map[string]bool{}
	v := reflect.ValueOf(h)
	for method := range v.Type().Methods() {
		if method.Type.NumOut() != 1 || method.Type.Out(0) != reflect.TypeFor[table.Key]() {
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
				value := map[string]string{
					"Reservation": "cli.iin", "Upload": uuid.NewString(), "Replay": strings.Repeat("h", 43),
				}[method.Name]
				if value == "" || i > 1 {
					value = "text"
				}
				args = append(args, reflect.ValueOf(value))
			}
		}
		key, _ := method.Func.Call(args)[0].Interface().(table.Key)
		p, known := conn.Space().Of(key.PK)
		if !known || !conn.Space().Item(key.PK, key.SK) {
			t.Errorf("%s makes %+v, which is not registered", method.Name, key)
		}
		made[p.Key] = true
	}
	for _, p := range keyspace.Partitions() {
		// The listing makes the keys of its own counters.
		if strings.HasPrefix(p.Key, "T#") && !made[p.Key] {
			t.Errorf("%s is registered, and nothing makes it", p.Key)
		}
	}
	for _, value := range []string{"850515300016", strings.Repeat("я", 255), strings.Repeat("a", 2000), strings.Repeat("a", 1999) + "b"} {
		key := h.Reservation("cli.iin", value)
		if len(key.SK) > 1024 || made[key.PK+key.SK] || !conn.Space().Item(key.PK, key.SK) {
			t.Errorf("the value %.20s… is reserved at %.200v", value, key)
		}
		made[key.PK+key.SK] = true
	}
}
