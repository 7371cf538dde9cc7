package sheet

import (
	"bytes"
	"mime"
	"path"
	"strings"
)

const (
	advice      = "send an .xlsx or .csv file"
	zipMagic    = "PK\x03\x04"
	olePackages = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
)

// detect finds a file's format from its first bytes. It refuses the file if its name or
// media type says another format.
func detect(name, contentType string, data []byte) (Format, error) {
	said := claimed(name, contentType)
	if said == "" {
		return "", wrong(0, 0, "Files of this type are not read: %s.", advice)
	}
	is, other := CSV, ""
	switch {
	case len(data) == 0:
		return "", wrong(0, 0, "The file is empty.")
	case bytes.HasPrefix(data, []byte(zipMagic)):
		is = XLSX
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		if bytes.Contains(data, []byte(olePackages)) {
			return "", wrong(0, 0, "The file is protected by a password: save it without one.")
		}
		other = "a file of an old Excel"
	case bytes.HasPrefix(data, []byte("%PDF")):
		other = "a PDF file"
	case bytes.HasPrefix(bytes.TrimLeft(data, "\uFEFF \t\r\n"), []byte("<")):
		other = "HTML or XML"
	}
	switch {
	case other != "":
		return "", wrong(0, 0, "The file is %s: save it as .xlsx or .csv.", other)
	case said != either && said != is && is == XLSX:
		return "", wrong(0, 0, "The file is not text, but a workbook or an archive: if it is a workbook, name it .xlsx.")
	case said != either && said != is:
		return "", wrong(0, 0, "The file is no workbook, whatever its name says: if it is text, name it .csv.")
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
