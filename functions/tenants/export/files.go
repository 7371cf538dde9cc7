package export

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// File is a file that a record names.
type File struct {
	Of          string `json:"of"` // the kind of the record
	Record      int64  `json:"record"`
	URL         string `json:"url"`
	ContentType string `json:"content_type,omitempty"`
	Size        int64  `json:"size,omitempty"`
	SHA256      string `json:"sha256,omitempty"` // in hexadecimal
}

// paths are those at which the API answers with a file.
var paths = regexp.MustCompile(
	`^/v2/documents/\d+/documents/\d+/$|^/v1/crm/(clients|groups|inventories|services)/\d+/(avatar|image)/$|^/v1/tenant/\d+/logo/$`)

// filesIn finds the files that a record names, wherever they stand in it. base is how the API's own addresses begin.
func filesIn(base string, record []byte) (list []File) {
	var value any
	if json.Unmarshal(record, &value) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				text, is := v[name].(string)
				if path, ours := strings.CutPrefix(text, base); is && ours && paths.MatchString(path) {
					list = append(list, facts(File{URL: text}, v["extra"]))
					continue
				}
				walk(v[name])
			}
		}
	}
	walk(value)
	return list
}

// facts adds what a document says about one of its files.
func facts(f File, extra any) File {
	said, _ := extra.(map[string]any)
	if sum, ok := said["sha256"].(string); ok {
		size, _ := said["size"].(float64)
		f.SHA256, f.Size = sum, int64(size)
		f.ContentType, _ = said["content_type"].(string)
	}
	return f
}
