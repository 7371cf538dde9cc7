package usage

import (
	"strconv"

	"github.com/tenantry/tenantry/shared/sheet"
)

// Titles returns the titles of the columns of a sheet of days.
func Titles() []string {
	return []string{
		"date", "records", "record_bytes", "file_bytes", "members", "sms", "sms_cost", "seals", "messages", "requests",
		"read_units", "write_units",
	}
}

// Cells are a day's row of a sheet.
func (d Day) Cells() []sheet.Cell {
	number := func(n int64) sheet.Cell { return sheet.Number(strconv.FormatInt(n, 10)) }
	units := func(u float64) sheet.Cell { return sheet.Number(strconv.FormatFloat(u, 'f', -1, 64)) }
	row := make([]sheet.Cell, 0, len(Titles()))
	row = append(row, sheet.Date(d.Date))
	if s := d.Stored; s != nil {
		row = append(row, number(s.Records), number(s.RecordBytes), number(s.FileBytes), number(s.Members))
	} else {
		row = append(row, sheet.Cell{}, sheet.Cell{}, sheet.Cell{}, sheet.Cell{})
	}
	return append(row, number(d.SMS), sheet.Number(d.Cost.String()), number(d.Seals), number(d.Messages), number(d.Requests),
		units(d.Read), units(d.Write))
}
