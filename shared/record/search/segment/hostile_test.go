package segment

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"testing"
)

// signed is a file with the checksum of its bytes.
func signed(data []byte) []byte {
	binary.LittleEndian.PutUint32(data[summed-4:], checksum(data[summed:]))
	return data
}

// A text whose position wraps to the value that stands for none is refused, before a query looks it up.
func TestOpenRefusesTextsBeyondTheList(t *testing.T) {
	shape := Shape{{Letter: "c", Text: true}}
	data, err := Build(shape, slices.Values([]Entry{{ID: 1, Changed: 1, Values: Values{Name: "a", Texts: map[string]string{"c": "x"}}}}))
	if err != nil {
		t.Fatal(err)
	}
	const base = 25 // from the end: the base of the last column's numbers
	binary.LittleEndian.PutUint64(data[len(data)-base:], 1<<63-1)
	if _, err := Open(signed(data)); !errors.Is(err, ErrBroken) {
		t.Errorf("it is opened: %v", err)
	}
}

// A small file that claims very many rows is refused before anything is made for each of them.
func TestOpenAllocatesNothingForClaims(t *testing.T) {
	const rows = 1 << 24
	data := append([]byte(magic), version, 0, 0, 0, 0, 0, 0, 0)
	for _, n := range []uint64{rows, 0, rows, 0, 0, 0} { // the rows, no columns, and ids that take no bits
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	data = signed(append(data, make([]byte, 200)...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Open(data)
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrBroken) || made > 1<<20 {
		t.Errorf("it allocates %d bytes: %v", made, err)
	}
}
