package gost_test

import (
	"bytes"
	"encoding/hex"
	"hash"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/egov/gost"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The examples of RFC 6986, section 10, bytes from the left.
const (
	first  = "303132333435363738393031323334353637383930313233343536373839303132333435363738393031323334353637383930313233343536373839303132"
	second = "d1e520e2e5f2f0e82c20d1f2f0e8e1eee6e820e2edf3f6e82c20e2e5fef2fa20f120eceef0ff20f1f2f0e5ebe0ece820ede020f5f0e0e1f0fbff20efebfaeafb20c8e3eef0e5e2fb"
)

func TestStreebog(t *testing.T) {
	for _, row := range []struct {
		name, message, want string
		make                func() hash.Hash
	}{
		{"512, first example", first, "1b54d01a4af5b9d5cc3d86d68d285462b19abc2475222f35c085122be4ba1ffa00ad30f8767b3a82384c6574f024c311e2a481332b08ef7f41797891c1646f48", gost.New512},
		{"256, first example", first, "9d151eefd8590b89daa6ba6cb74af9275dd051026bb149a452fd84e5e57b5500", gost.New256},
		{"512, second example", second, "1e88e62226bfca6f9994f1f2d51569e0daf8475a3b0fe61a5300eee46d961376035fe83549ada2b8620fcd7c496ce5b33f0cb9dddc2b6460143b03dabac9fb28", gost.New512},
		{"256, second example", second, "9dd2fe4e90409e5da87f53976d7405b0c0cac628fc669a741d50063c557e8f50", gost.New256},
		{"512, nothing", "", "8e945da209aa869f0455928529bcae4679e9873ab707b55315f56ceb98bef0a7362f715528356ee83cda5f2aac4c6ad2ba3a715c1bcd81cb8e9f90bf4c1c1a8a", gost.New512},
		{"256, nothing", "", "3f539a213e97c802cc229d474c6aa32a825a360b2a933a949fd925208d9ce1bb", gost.New256},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := row.make()
			h.Write(unhex(t, row.message))
			if got := hex.EncodeToString(h.Sum(nil)); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// However a message is cut into writes, and whatever was asked for meanwhile, its hash is the same.
func TestStreebogInPieces(t *testing.T) {
	message := bytes.Repeat([]byte{0xff, 0x01, 0x80}, 100)
	whole := gost.New512()
	whole.Write(message)
	for _, size := range []int{1, 7, 63, 64, 65, 128, 129} {
		h := gost.New512()
		h.Write([]byte("what Reset forgets"))
		h.Reset()
		for rest := message; len(rest) > 0; {
			n := min(size, len(rest))
			h.Write(rest[:n])
			h.Sum(nil)
			rest = rest[n:]
		}
		if !bytes.Equal(h.Sum(nil), whole.Sum(nil)) {
			t.Errorf("in pieces of %d bytes the hash is another", size)
		}
	}
}

func BenchmarkStreebog(b *testing.B) {
	message := make([]byte, 1<<20)
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		h := gost.New512()
		h.Write(message)
		h.Sum(nil)
	}
}
