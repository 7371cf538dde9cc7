package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
)

// Assets is the path below which Asset serves.
const Assets = "/sign/assets/"

//go:embed assets
var own embed.FS

// The files of pdf.js are compressed in the binary, as they are sent.
//
//go:embed pdfjs/*.br
var pdfjs embed.FS

// pdfjsFolder names the files of pdf.js by its version, which is their content.
const pdfjsFolder = "pdfjs-5.4.624/"

// folder names our own files by what is in them, so that they can be kept for ever. They are in one folder, so that they
// find each other.
func folder() string {
	sum := sha256.New()
	_ = fs.WalkDir(own, "assets", func(name string, d fs.DirEntry, _ error) error { // they are embedded
		if !d.IsDir() {
			body, _ := own.ReadFile(name)
			sum.Write([]byte(name))
			sum.Write(body)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:6]) + "/"
}

// address is where one of our own files is.
func address(name string) string { return Assets + folder() + name }

// Asset returns what is served at Assets followed by name: its bytes, their type, and how they are compressed. Names
// have the content in them, so a name that is served today is either the same tomorrow or gone.
func Asset(name string) (body []byte, contentType, encoding string, ok bool) {
	contentType, ok = typeOf(name)
	if !ok {
		return nil, "", "", false
	}
	if file, found := strings.CutPrefix(name, pdfjsFolder); found {
		body, err := pdfjs.ReadFile("pdfjs/" + file + ".br")
		return body, contentType, "br", err == nil
	}
	file, found := strings.CutPrefix(name, folder())
	if !found {
		return nil, "", "", false
	}
	body, err := own.ReadFile("assets/" + file)
	if err != nil {
		return nil, "", "", false
	}
	return packed(body), contentType, "gzip", true
}

// AssetHeaders are the headers of an asset besides its type and encoding. The policy is that of the worker which reads
// documents: a worker has the policy it was served with.
func AssetHeaders() map[string]string {
	return map[string]string{
		"Cache-Control":                "public, max-age=31536000, immutable",
		"Content-Security-Policy":      "default-src 'none'; script-src 'self'; connect-src 'self'; " + ends,
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Robots-Tag":                 "noindex, nofollow",
	}
}

func typeOf(name string) (contentType string, ok bool) {
	switch path.Ext(name) {
	case ".mjs", ".js":
		return "text/javascript; charset=utf-8", true
	case ".css":
		return "text/css; charset=utf-8", true
	case ".svg":
		return "image/svg+xml", true
	case ".pfb":
		return "application/octet-stream", true
	}
	return "", false
}

func packed(body []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one of gzip's
	_, _ = z.Write(body)                                  // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}
