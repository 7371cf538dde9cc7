package listing

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/shared/table"
)

// A counter is the number that a big.Int would be, whatever is added to it.
func TestCounterIsANumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum counter
		want := new(big.Int)
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			digit, by := rapid.IntRange(0, digits-1).Draw(t, "digit"), rapid.Int64Range(-9, 9).Draw(t, "by")
			var c counter
			c.count(digit, by)
			step := new(big.Int).Mul(big.NewInt(by), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digit)), nil))
			if string(c.number()) != step.String() {
				t.Fatalf("%d at %d is stored as %s, not %s", by, digit, c.number(), step)
			}
			back, err := parse(c.number())
			if err != nil || back.number() != c.number() {
				t.Fatalf("%s is read as %v, %v", c.number(), back, err)
			}
			sum.add(back)
			want.Add(want, step)
		}
		if string(sum.number()) != want.String() {
			t.Fatalf("sum %s, want %s", sum.number(), want)
		}
	})
}

func TestCounterDecodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := rapid.SliceOfN(rapid.Uint8Range(0, span), digits, digits).Draw(t, "live")
		var c counter
		total := int64(0)
		for d, n := range live {
			c.count(d, int64(n))
			total += int64(n)
		}
		got := make([]uint8, digits)
		n, ok := c.decode(got)
		if !ok || n != total || string(got) != string(live) {
			t.Fatalf("%v decodes to %v, %d, %v", live, got, n, ok)
		}
	})
}

// A torn read that saw deletes and not the creates before them has digits below
// zero. However many, wherever: the sum then does not decode to n records.
func TestTornSumsShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c counter
		n := int64(0)
		below := rapid.IntRange(0, digits-1).Draw(t, "below zero")
		for d := range digits {
			low, high := int64(-span), int64(span)
			if d == below {
				high = -1
			}
			seen := rapid.Int64Range(low, high).Draw(t, "seen")
			c.count(d, seen)
			n += seen
		}
		got := make([]uint8, digits)
		if sum, ok := c.decode(got); ok && sum == n {
			t.Fatalf("it decodes to %v, sum %d", got, n)
		}
	})
}

func TestStoredForms(t *testing.T) {
	for _, tt := range []struct {
		stored table.Number
		want   string // "" is an error
	}{
		{"", "0"},
		{"0", "0"},
		{"-10", "-10"},
		{"1E+35", "100000000000000000000000000000000000"},
		{"1e35", "100000000000000000000000000000000000"},
		{"-9.5E+3", "-9500"},
		{"120.0", "120"},
		{"999999999999999999999999999999999999", "999999999999999999999999999999999999"},
		{"1E+36", ""},
		{"0.5", ""},
		{"1e-1", ""},
		{"1x", ""},
		{"1e", "1"},
		{"12e1x", ""},
	} {
		c, err := parse(tt.stored)
		if got := string(c.number()); (err != nil) != (tt.want == "") || err == nil && got != tt.want {
			t.Errorf("%q is read as %s, %v; want %q", tt.stored, got, err, tt.want)
		}
	}
}

func TestLayout(t *testing.T) {
	if Bucket != 10368 {
		t.Fatalf("a bucket has %d ids", Bucket)
	}
	for _, tt := range []struct {
		id     int64
		bucket int
		group  int64
	}{
		{1, 0, 0},
		{9, 0, 0},
		{10, 0, 1},
		{Bucket, 0, groups - 1},
		{Bucket + 1, 1, groups},
		{maxID, buckets - 1, buckets*groups - 1},
	} {
		if b, g := bucketOf(tt.id), groupOf(tt.id); b != tt.bucket || g != tt.group {
			t.Errorf("%d is in bucket %d, group %d; want %d, %d", tt.id, b, g, tt.bucket, tt.group)
		}
		if first := firstOf(groupOf(tt.id)); tt.id < first || tt.id >= first+span {
			t.Errorf("%d is not in the group that begins with %d", tt.id, first)
		}
	}
	if maxID > table.MaxID {
		t.Errorf("ids up to %d don't fit a sort key", maxID)
	}
}

func TestNamesOfAttributes(t *testing.T) {
	for a := range attributes {
		if got := attribute(name(a)); got != a {
			t.Errorf("attribute %d is %s, which is %d", a, name(a), got)
		}
	}
	for _, other := range []string{"pk", "n", "c", "cz", "c00", "cA"} {
		if a := attribute(other); a >= 0 {
			t.Errorf("%s is attribute %d", other, a)
		}
	}
}

func TestKeysOfItems(t *testing.T) {
	s := stripe{bucket: 42, generation: 3, number: 7}
	if s.key() != "000042#3#07" {
		t.Errorf("stripe at %s", s.key())
	}
	if got, ofBase, err := parseKey(s.key()); got != s || ofBase || err != nil {
		t.Errorf("%s is %+v, base %v, %v", s.key(), got, ofBase, err)
	}
	if got, ofBase, err := parseKey(baseKey(42)); got.bucket != 42 || !ofBase || err != nil {
		t.Errorf("%s is %+v, base %v, %v", baseKey(42), got, ofBase, err)
	}
	for _, bad := range []string{"", "x", "000001#1", "000001#x#1", "000001#1#x"} {
		if _, _, err := parseKey(bad); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}

func TestWhoAsksToFold(t *testing.T) {
	for _, tt := range []struct {
		id   int64
		want int // -1: nobody
	}{
		{1, -1},
		{100, -1},
		{1000, -1},
		{Bucket - 1, -1},
		{Bucket, 0},
		{Bucket + 1, -1},
		{Bucket + 100, 0},
		{Bucket + 1000, 0},
		{2 * Bucket, 1},
	} {
		if got, due := folds(tt.id); due != (tt.want >= 0) || due && got != tt.want {
			t.Errorf("%d asks for %d, %v; want %d", tt.id, got, due, tt.want)
		}
	}
}

// A window says, of any live records in any stripes, which groups its rows are
// in, and skips as few as it can.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offsets := rapid.SliceOfNDistinct(rapid.Int64Range(1, 3*Bucket), 1, 60, rapid.ID[int64]).Draw(t, "live")
		if rapid.Bool().Draw(t, "close") {
			for i := range offsets {
				offsets[i] = Bucket - 30 + offsets[i]%60
			}
		}
		slices.Sort(offsets)
		live := slices.Compact(offsets)
		changes := map[stripe]*change{}
		for _, id := range live {
			at := stripe{bucket: bucketOf(id), number: rapid.IntRange(0, 3).Draw(t, "stripe")}
			if changes[at] == nil {
				changes[at] = new(change)
			}
			changes[at].count(id, 1)
		}
		var keys []string
		items := map[string]table.Attributes{}
		for at, c := range changes {
			item := table.Attributes{}
			item.SetText("sk", at.key())
			item.SetInt("n", c.records)
			for a, by := range c.counters {
				item.SetNumber(name(a), by.number())
			}
			keys, items[at.key()] = append(keys, at.key()), item
		}
		slices.Sort(keys)
		var s snapshot
		for _, key := range keys {
			if err := s.take(items[key]); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := s.count(); n != len(live) || err != nil {
			t.Fatalf("count %d, %v; want %d", n, err, len(live))
		}
		low := rapid.IntRange(0, len(live)-1).Draw(t, "low")
		high := rapid.IntRange(low+1, len(live)).Draw(t, "high")
		w, err := s.window(low, high)
		if err != nil {
			t.Fatal(err)
		}
		within := func(id int64) bool { return id >= w.from && id <= w.to }
		first := slices.IndexFunc(live, within)
		last := len(live) - 1
		for !within(live[last]) {
			last--
		}
		before, after := low-first, last+1-high
		rows := live[first:high]
		if w.descending {
			rows = slices.Clone(live[low : last+1])
			slices.Reverse(rows)
		}
		want := make([]int64, len(rows))
		for i, id := range rows {
			want[i] = groupOf(id)
		}
		if !slices.Equal(w.rows, want) || w.skip != min(before, after) || before < 0 || before >= span || after < 0 || after >= span {
			t.Fatalf("positions %d to %d of %v: %+v, want rows in %v, %d before and %d after", low, high, live, w, want, before, after)
		}
	})
}

// The work of finding a page, without the engine: in a company of 100 records
// whose stripes are all there, and in one of a million with holes.
func BenchmarkWindow(b *testing.B) {
	item := func(sk string) table.Attributes {
		a := table.Attributes{}
		a.SetText("sk", sk)
		return a
	}
	small := make([]table.Attributes, stripes)
	for i := range small {
		small[i] = item(stripe{number: i}.key())
		small[i].SetInt("n", 3)
		var c counter
		for k := range 3 {
			c.count((i+32*k)/span, 1)
		}
		small[i].SetNumber(name(0), c.number())
	}
	var large []table.Attributes
	for n := range 97 {
		base := item(baseKey(n))
		base.SetInt("n", groups*6)
		for a := range attributes {
			base.SetNumber(name(a), table.Number("666666666666666666666666666666666666"))
		}
		large = append(large, base)
	}
	for what, items := range map[string][]table.Attributes{"small": small, "large": large} {
		b.Run(what, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var s snapshot
				for _, it := range items {
					if err := s.take(it); err != nil {
						b.Fatal(err)
					}
				}
				count, err := s.count()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.window(count/2, count/2+20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
