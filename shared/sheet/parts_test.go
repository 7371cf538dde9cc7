package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// What a workbook may unpack to is counted over all its parts, exactly.
func TestPartsTogether(t *testing.T) {
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	content := "<a>" + strings.Repeat("<b/>", 20_000) + "</a>" // more than the buffer
	for _, name := range []string{"a", "b"} {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		left int
		want error
	}{{2 * len(content), nil}, {2*len(content) - 1, hostile()}, {len(content), hostile()}} {
		p, err := openParts(data.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		*p.left = c.left
		elements := 0
		for _, name := range []string{"a", "b"} {
			if err == nil {
				err = p.walk(name, func(_ []string, token xml.Token) error {
					if _, ok := token.(xml.StartElement); ok {
						elements++
					}
					return nil
				})
			}
		}
		if (err == nil) != (c.want == nil) || err != nil && err.Error() != c.want.Error() {
			t.Errorf("%d of %d: %v", c.left, 2*len(content), err)
		}
		if err == nil && elements != 2*20_001 {
			t.Errorf("%d elements", elements)
		}
	}
}

func TestTokens(t *testing.T) {
	text := strings.Repeat("x", maxToken)
	s := &source{from: iotest.OneByteReader(strings.NewReader(text + text + "x")), part: maxRead}
	for range 2 {
		s.next()
		for range maxToken {
			if _, err := s.ReadByte(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.ReadByte(); !errors.Is(err, errLongToken) {
		t.Errorf("after the longest token: %v", err)
	}
	s.next()
	p := make([]byte, 5)
	if n, err := s.Read(p); n != 1 || err != nil || p[0] != 'x' {
		t.Errorf("%d, %v, %q", n, err, p)
	}
	if _, err := s.Read(p); err == nil {
		t.Error("there is more than all")
	}
}
