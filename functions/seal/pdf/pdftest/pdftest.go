// Package pdftest makes small PDFs for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Page is a PDF of one page, with a classic cross-reference table.
func Page() []byte {
	return Of("/Root 1 0 R", map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]>>",
		3: "<</Type/Page/Parent 2 0 R/Resources<<>>/Contents 4 0 R>>",
		4: Stream("0 0 m 100 100 l S"),
	})
}

// Stream writes a stream object.
func Stream(content string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
}

// Of writes objects and what is in the trailer besides their number.
func Of(trailer string, objects map[int]string) []byte {
	return Section([]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), trailer, objects)
}

// Section appends objects with a section of the cross-reference table.
func Section(data []byte, trailer string, objects map[int]string) []byte {
	b := bytes.NewBuffer(bytes.Clone(data))
	begin := map[int]int{}
	numbers := slices.Sorted(maps.Keys(objects))
	for _, n := range numbers {
		begin[n] = b.Len()
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", n, objects[n])
	}
	table := b.Len()
	b.WriteString("xref\n0 1\n0000000000 65535 f \n")
	for _, n := range numbers {
		fmt.Fprintf(b, "%d 1\n%010d 00000 n \n", n, begin[n])
	}
	fmt.Fprintf(b, "trailer\n<</Size %d %s>>\nstartxref\n%d\n%%%%EOF\n", slices.Max(numbers)+1, trailer, table)
	return b.Bytes()
}

// Table is where the last section of a file begins.
func Table(data []byte) int {
	var at int
	_, err := fmt.Sscanf(string(data[bytes.LastIndex(data, []byte("startxref")):]), "startxref\n%d", &at)
	if err != nil {
		panic(err)
	}
	return at
}
