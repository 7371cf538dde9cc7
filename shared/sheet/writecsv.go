package sheet

import (
	"encoding/csv"
	"io"
	"strings"
)

type csvFile struct {
	csv    *csv.Writer
	fields []string
}

// oneLine replaces all kinds of line ends with \n, because encoding/csv would drop a
// carriage return that stands alone.
var oneLine = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func newCSV(w io.Writer, header []string) (*csvFile, error) {
	if _, err := io.WriteString(w, "\uFEFF"); err != nil {
		return nil, err
	}
	f := &csvFile{csv: csv.NewWriter(w)}
	f.csv.UseCRLF = true
	cells := make([]Cell, len(header))
	for i, name := range header {
		cells[i] = Text(name)
	}
	return f, f.row(cells)
}

func (f *csvFile) row(cells []Cell) error {
	f.fields = f.fields[:0]
	for _, c := range cells {
		if c.kind == isTexts {
			c.value = escaped(oneLine.Replace(strings.ToValidUTF8(c.value, "\uFFFD")))
		}
		f.fields = append(f.fields, c.value)
	}
	return f.csv.Write(f.fields)
}

func (f *csvFile) close() error {
	f.csv.Flush()
	return f.csv.Error()
}
