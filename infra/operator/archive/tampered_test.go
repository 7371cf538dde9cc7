package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/operator/archive"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/shared/table"
)

// tampering is what somebody does to an archive, who puts its SHA-256 right.
type tampering struct {
	folder string
	archive.Manifest
}

// items changes the lines of a file of items.
func (a *tampering) items(t *testing.T, name string, change func(lines []string) []string) {
	t.Helper()
	path := "items/" + name + ".jsonl"
	content, err := os.ReadFile(filepath.Join(a.folder, path))
	if err != nil {
		t.Fatal(err)
	}
	lines := change(strings.Split(strings.TrimSuffix(string(content), "\n"), "\n"))
	content = []byte(strings.Join(lines, "\n") + "\n")
	if err := os.WriteFile(filepath.Join(a.folder, path), content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	a.Files[path] = archive.File{Count: len(lines), Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// What no export writes is refused before anything is written, though each SHA-256 is right.
func TestTamperedArchives(t *testing.T) {
	w := estatetest.Make(t)
	from, _ := w.Table(t)
	to, toName := other(t, map[string]int64{"ann@example.com": 501, "ray@example.com": 502})
	before, bucket := estatetest.Scan(t, toName), estate.Open(to, estatetest.Bucket(t))
	objects := func() (n int) {
		for _, company := range []string{"t/", "8/"} {
			for _, err := range bucket.Folder(t.Context(), company) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
		return n
	}
	more := func(line string) func([]string) []string {
		return func(lines []string) []string { return append(lines, line) }
	}
	for name, c := range map[string]struct {
		tamper func(t *testing.T, a *tampering)
		want   string
	}{
		"a file of another company": {func(_ *testing.T, a *tampering) {
			a.Objects[0].Name = "../8/" + a.Objects[0].Name
		}, "is no name of a file"},
		"a file outside": {func(_ *testing.T, a *tampering) { a.Objects[0].Name = "../../x" }, "is no name of a file"},
		"a folder":       {func(_ *testing.T, a *tampering) { a.Objects[0].Name = "a/b" }, "is no name of a file"},
		"a query":        {func(_ *testing.T, a *tampering) { a.Objects[0].Name += "?versionId=3" }, "is no name of a file"},
		"another form of a uuid": {func(_ *testing.T, a *tampering) {
			a.Objects[0].Name = "{" + a.Objects[0].Name + "}"
		}, "is no name of a file"},
		"a version twice": {func(_ *testing.T, a *tampering) { a.Objects[1].Version = a.Objects[0].Version }, "another file has the version"},
		"an address twice": {func(_ *testing.T, a *tampering) {
			a.People[1].Email = strings.ToUpper(a.People[0].Email)
		}, "two people of the archive"},
		"a user twice": {func(_ *testing.T, a *tampering) { a.People[1].User = a.People[0].User }, "two people of the archive"},
		"another company's record": {func(t *testing.T, a *tampering) {
			a.items(t, "live", more(`{"pk":{"S":"T#8#cli"},"sk":{"S":"000000000001"}}`))
		}, "is not of company 1"},
		"another company's token": {func(t *testing.T, a *tampering) {
			a.items(t, "live", more(`{"pk":{"S":"F#abc"},"sk":{"S":"feed"},"t":{"N":"8"}}`))
		}, "is not of company 1"},
		"no key": {func(t *testing.T, a *tampering) {
			a.items(t, "live", more(`{"pk":{"S":"T#1#cli"},"sk":{"S":"first"}}`))
		}, "is no key of the table"},
		"an index of another company": {func(t *testing.T, a *tampering) {
			a.items(t, "live", more(`{"pk":{"S":"T#1#cli"},"sk":{"S":"000000000999"},"ix":{"S":"T#8#cli"},"xm":{"N":"1"}}`))
		}, "in the index changes"},
		"an item too large": {func(t *testing.T, a *tampering) {
			a.items(t, "live", more(`{"pk":{"S":"T#1#cli"},"sk":{"S":"000000000999"},"n":{"S":"`+strings.Repeat("x", 410<<10)+`"}}`))
		}, "more than an item may have"},
		"a document too large with its marks": {func(t *testing.T, a *tampering) {
			signs := strings.Repeat(`,{"M":{}}`, 10)[1:]
			a.items(t, "live", more(`{"pk":{"S":"T#1#doc"},"sk":{"S":"000000000999"},"e":{"L":[`+signs+`]},"n":{"S":"`+
				strings.Repeat("x", 409_000)+`"}}`))
		}, "more than an item may have"},
		"a history that can't be read": {func(t *testing.T, a *tampering) {
			a.items(t, "log", more(`{"pk":{"S":"T#1#cli#log#000000000001"},"sk":{"S":"000000000999"},"c":{"B":"AAAA"}}`))
		}, "audit: decode"},
	} {
		a := &tampering{folder: filepath.Join(t.TempDir(), "archive")}
		m, err := archive.Export(t.Context(), estate.Open(from, estatetest.Bucket(t)), company, a.folder, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		was := objects()
		a.Manifest = *m
		c.tamper(t, a)
		content, err := json.Marshal(a.Manifest)
		if err == nil {
			err = os.WriteFile(filepath.Join(a.folder, "manifest.json"), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := archive.ImportCommand(t.Context(), env(t, toName, &out), []string{"-from", a.folder}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q\n%s", name, err, c.want, &out)
		}
		if strings.Contains(out.String(), "Its number is") || !reflect.DeepEqual(estatetest.Scan(t, toName), before) || objects() != was {
			t.Errorf("%s: something was written: %s", name, &out)
		}
	}
}

// A file that a record names and the archive lacks is told before the question.
func TestLackingFile(t *testing.T) {
	w := estatetest.Make(t)
	from, _ := w.Table(t)
	_, toName := other(t, map[string]int64{"ann@example.com": 501})
	a := &tampering{folder: filepath.Join(t.TempDir(), "archive")}
	m, err := archive.Export(t.Context(), estate.Open(from, estatetest.Bucket(t)), company, a.folder, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	say := func() string {
		out.Reset()
		e := env(t, toName, &out)
		e.Yes = false
		if err := archive.ImportCommand(t.Context(), e, []string{"-from", a.folder}); err == nil {
			t.Fatal("nobody has said yes")
		}
		return out.String()
	}
	if said := say(); strings.Contains(said, "the archive lacks") {
		t.Error(said)
	}
	var avatar struct {
		Avatar struct {
			Version string `dynamo:"v"`
		} `dynamo:"av"`
	}
	for _, item := range w.Items {
		if is := table.Attributes(item); strings.HasSuffix(is.Text("pk"), "T#1#cli") && is.Map("av") != nil {
			if err := is.Decode(&avatar); err != nil {
				t.Fatal(err)
			}
		}
	}
	objects := len(m.Objects)
	m.Objects = slices.DeleteFunc(m.Objects, func(o archive.Object) bool { return o.Version == avatar.Avatar.Version })
	if len(m.Objects) != objects-1 {
		t.Fatalf("%d of %d objects", len(m.Objects), objects)
	}
	content, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(a.folder, "manifest.json"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said := say(); !strings.Contains(said, "Files that records name and the archive lacks: 1, such as ") {
		t.Error(said)
	}
}
