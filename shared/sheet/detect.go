package sheet

import (
	"bytes"
	"mime"
	"path"
	"strings"

	"github.com/tenantry/tenantry/shared/say"
)

const (
	zipMagic    = "PK\x03\x04"
	olePackages = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
)

// detect finds a file's format from its first bytes. It refuses the file if its name or
// media type says another format.
func detect(name, contentType string, data []byte) (Format, error) {
	said := claimed(name, contentType)
	if said == "" {
		return "", wrong(0, 0, say.SheetFileType)
	}
	is, other := CSV, say.Message("")
	switch {
	case len(data) == 0:
		return "", wrong(0, 0, say.SheetEmpty)
	case bytes.HasPrefix(data, []byte(zipMagic)):
		is = XLSX
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		if bytes.Contains(data, []byte(olePackages)) {
			return "", wrong(0, 0, say.SheetPassword)
		}
		other = say.SheetOldExcel
	case bytes.HasPrefix(data, []byte("%PDF")):
		other = say.SheetPDF
	case bytes.HasPrefix(bytes.TrimLeft(data, "\uFEFF \t\r\n"), []byte("<")):
		other = say.SheetHTML
	}
	switch {
	case other != "":
		return "", wrong(0, 0, other)
	case said != either && said != is && is == XLSX:
		return "", wrong(0, 0, say.SheetWorkbookNamedCSV)
	case said != either && said != is:
		return "", wrong(0, 0, say.SheetTextNamedXLSX)
	}
	return is, nil
}

const either Format = "either"

// claimed is the format that a file claims: by the ending of its name or, without an
// ending, by its media type. "" is a format that is not supported.
func claimed(name, contentType string) Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".xlsx":
		return XLSX
	case ".csv":
		return CSV
	case "":
	default:
		return ""
	}
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		return XLSX
	case "text/csv", "text/plain":
		return CSV
	case "", "application/octet-stream", "binary/octet-stream", "application/zip", "application/vnd.ms-excel": // says little
		return either
	}
	return ""
}
