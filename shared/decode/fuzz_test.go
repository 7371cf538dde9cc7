package decode_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"text":"\ud83d\ude00","i":1e0,"li":[1,null],"rows":[{"name":"a"}],"j":{"a":[1.5]}}`,
		`text=a%&li=1&li=2&j={}`, "--a\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nx\r\n--a--",
		`{"i":-9223372036854775809,"email":"a@b.kz","u":"x","ci":[{}]}`, `[`, `"\u`, "\xff",
	} {
		for _, contentType := range []string{decode.TypeJSON, decode.TypeForm, "multipart/form-data; boundary=a"} {
			f.Add(contentType, []byte(seed), true)
		}
	}
	f.Fuzz(func(t *testing.T, contentType string, data []byte, partial bool) {
		tree, err := decode.Parse(contentType, data, []string{decode.TypeJSON, decode.TypeForm, decode.TypeMultipart})
		var dst body
		if err == nil {
			err = decode.Struct(tree, &dst, partial)
		}
		if err == nil {
			if _, err := json.Marshal(values(reflect.ValueOf(dst))); err != nil {
				t.Fatalf("what was taken can't be answered: %v", err)
			}
			if n := dst.I.Value; n < -5 || n > 5 || dst.Big.Value < 0 {
				t.Fatalf("out of bounds: %+v", dst)
			}
			return
		}
		var known *fault.Error
		if !errors.As(err, &known) {
			t.Fatalf("not a fault: %v", err)
		}
		if _, err := json.Marshal(known.Fields); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkStruct(b *testing.B) {
	data := []byte(`{"text":"a","i":"5","b":true,"ci":1,"li":[1,2,3],"rows":[{"name":"a"},{"name":"b"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		tree, err := decode.Parse("application/json", data, []string{decode.TypeJSON})
		if err != nil {
			b.Fatal(err)
		}
		var dst body
		if err := decode.Struct(tree, &dst, false); err != nil {
			b.Fatal(err)
		}
	}
}
