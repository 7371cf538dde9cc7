package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// firstLoad is what a telephone loads before the document, in bytes as they are sent.
const firstLoad = 600_000

func TestAssets(t *testing.T) {
	names := map[string]string{
		"style.css":  "text/css; charset=utf-8",
		"sign.mjs":   "text/javascript; charset=utf-8",
		"verify.mjs": "text/javascript; charset=utf-8",
		"icon.svg":   "image/svg+xml",
	}
	for name, contentType := range names {
		body, got, encoding, ok := Asset(folder() + name)
		if !ok || got != contentType || encoding != "gzip" {
			t.Errorf("%s: %v, %q, %q", name, ok, got, encoding)
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := os.ReadFile("assets/" + name); !bytes.Equal(unpacked, want) {
			t.Errorf("%s isn't the file", name)
		}
	}
	for _, name := range []string{"pdf.min.mjs", "pdf.worker.min.mjs", "openjpeg_nowasm_fallback.js"} {
		body, contentType, encoding, ok := Asset(pdfjsFolder + name)
		want, err := os.ReadFile("pdfjs/" + name + ".br")
		if err != nil {
			t.Fatal(err)
		}
		if !ok || contentType != "text/javascript; charset=utf-8" || encoding != "br" || !bytes.Equal(body, want) {
			t.Errorf("%s: %v, %q, %q", name, ok, contentType, encoding)
		}
	}
}

func TestNoOtherAssets(t *testing.T) {
	for _, name := range []string{
		"", "style.css", "/style.css", folder(), folder() + "none.css", "000000000000/style.css",
		folder() + "../page.go", folder() + "../assets/style.css",
		pdfjsFolder, pdfjsFolder + "files.json", pdfjsFolder + "LICENSE", pdfjsFolder + "generate.mjs", pdfjsFolder + "pdf.min.mjs.br",
		"pdfjs-0.0.0/pdf.min.mjs", strings.ToUpper(folder()) + "STYLE.CSS", folder() + "texts/ru.json", folder() + "\x00.css",
	} {
		if body, _, _, ok := Asset(name); ok || body != nil {
			t.Errorf("%q is served", name)
		}
	}
}

// TestFirstLoad: what a signer's telephone loads besides the document stays small.
func TestFirstLoad(t *testing.T) {
	html, _ := Sign("ru", view(), Settings{})
	sum := len(packed(html))
	err := fs.WalkDir(own, "assets", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			body, _, _, _ := Asset(folder() + path.Base(name))
			sum += len(body)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pdf.min.mjs", "pdf.worker.min.mjs"} {
		body, _, _, _ := Asset(pdfjsFolder + name)
		sum += len(body)
	}
	t.Logf("the first load is %d bytes", sum)
	if sum > firstLoad {
		t.Errorf("the first load is %d bytes, more than %d", sum, firstLoad)
	}
}

// TestVersion: the folder's name, by which browsers keep pdf.js for ever, changes with its version.
func TestVersion(t *testing.T) {
	body, err := os.ReadFile("pdfjs/files.json")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(pdfjsFolder, "pdfjs-"), "/")
	if !bytes.Contains(body, []byte(`"version": "`+version+`"`)) {
		t.Errorf("files.json isn't about version %s", version)
	}
}

// TestPreloaded: a page names each module that its script imports, so that all are loaded at once, and no other.
func TestPreloaded(t *testing.T) {
	sign, _ := Sign("ru", view(), Settings{})
	verify, _ := Verify("ru", Settings{})
	for script, page := range map[string][]byte{"sign.mjs": sign, "verify.mjs": verify} {
		want := map[string]bool{}
		imports(t, script, want)
		for _, n := range elements(t, page) {
			name := path.Base(attr(n, "href"))
			if attr(n, "rel") != "modulepreload" {
				continue
			}
			if !want[name] {
				t.Errorf("%s: %s is loaded for nothing", script, name)
			}
			delete(want, name)
		}
		if len(want) > 0 {
			t.Errorf("%s: %v are not named", script, want)
		}
	}
}

// imports adds the modules that a module imports, and what these import.
func imports(t *testing.T, name string, all map[string]bool) {
	t.Helper()
	body, err := own.ReadFile("assets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`from '\./([a-z0-9]+\.mjs)'`).FindAllSubmatch(body, -1) {
		if inner := string(m[1]); !all[inner] {
			all[inner] = true
			imports(t, inner, all)
		}
	}
}

// TestOwnScripts: what the policy forbids isn't tried, and modules are found beside each other.
func TestOwnScripts(t *testing.T) {
	entries, err := own.ReadDir("assets")
	if err != nil {
		t.Fatal(err)
	}
	forbidden := regexp.MustCompile(
		`\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|setAttribute\('style'|https?://`)
	imported := regexp.MustCompile(`from '\./([a-z0-9]+\.mjs)'`)
	modules := 0
	for _, e := range entries {
		if path.Ext(e.Name()) != ".mjs" {
			continue
		}
		modules++
		body, err := own.ReadFile("assets/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if at := forbidden.Find(body); at != nil {
			t.Errorf("%s: %s", e.Name(), at)
		}
		for _, m := range imported.FindAllSubmatch(body, -1) {
			if _, _, _, ok := Asset(folder() + string(m[1])); !ok {
				t.Errorf("%s imports %s", e.Name(), m[1])
			}
		}
	}
	if modules < 8 {
		t.Errorf("%d modules were looked at", modules)
	}
}
