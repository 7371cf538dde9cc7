package egov_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/functions/documents/egov"
	"github.com/tenantry/tenantry/infra/local/nca"
	"github.com/tenantry/tenantry/shared/fault"
)

// A whole verification, less the time that the certification centre takes to answer.
func BenchmarkVerify(b *testing.B) {
	w := newWorld(b)
	for _, kind := range []nca.Kind{nca.GOST512, nca.RSA} {
		for _, megabytes := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s, %d MB", kind, megabytes), func(b *testing.B) {
				content := bytes.Repeat([]byte("a"), megabytes<<20)
				cms := cmsOf(b, w.person[kind], nca.Message{Content: content})
				v, n := verifier(b, w)
				n.timer = b
				for b.Loop() {
					if _, err := v.Verify(b.Context(), cms, content, egov.Expected{IIN: iin}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Whatever comes, the verifier answers with a fault, and takes nothing that isn't the person's.
func FuzzVerify(f *testing.F) {
	w := newWorld(f)
	v, _ := verifier(f, w)
	for _, kind := range []nca.Kind{nca.RSA, nca.GOST512} {
		f.Add(cmsOf(f, w.person[kind], nca.Message{Content: document, Chain: true}))
		f.Add(cmsOf(f, w.person[kind], nca.Message{Content: document, AlsoBy: w.head[kind], At: now}))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		got, err := v.Verify(t.Context(), sent, document, egov.Expected{IIN: iin})
		if _, ok := fault.As(err); err != nil && !ok {
			t.Fatalf("%v is no fault", err)
		}
		if err == nil && got.IIN != iin {
			t.Fatalf("taken: %+v", got)
		}
	})
}

// saying is a network on which everybody gives one answer.
type saying []byte

func (s saying) Post(context.Context, string, string, []byte) ([]byte, error) { return s, nil }
func (s saying) Get(context.Context, string) ([]byte, error)                  { return s, nil }

// Whatever the responder answers, a signature isn't taken: no answer has the nonce of a question that comes later.
func FuzzAnswer(f *testing.F) {
	w := newWorld(f)
	v, _ := verifier(f, w)
	cms := cmsOf(f, w.person[nca.RSA], nca.Message{Content: document})
	got, err := v.Verify(f.Context(), cms, document, egov.Expected{IIN: iin})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(got.OCSP)
	f.Fuzz(func(t *testing.T, answer []byte) {
		v.Network = saying(answer)
		if _, err := v.Verify(t.Context(), cms, document, egov.Expected{IIN: iin}); !errors.Is(err, egov.ErrUnreachable) {
			t.Fatal(err)
		}
	})
}
