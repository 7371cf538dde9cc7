package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/tenantry/tenantry/infra/operator/memtable"
	"github.com/tenantry/tenantry/shared/table/keyspace"
)

// Read reads the manifest of an archive, and compares all files with it.
func Read(folder string) (*Manifest, error) {
	content, err := os.ReadFile(filepath.Join(folder, manifestFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is no archive, or was not ended: it has no %s", folder, manifestFile)
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(content, m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	if m.Format != Format || m.Layout != keyspace.Layout {
		return nil, fmt.Errorf("the archive is of format %d and layout %s, and this program reads %d and %s",
			m.Format, m.Layout, Format, keyspace.Layout)
	}
	for _, path := range slices.Sorted(maps.Keys(m.Files)) {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return nil, fmt.Errorf("%s is outside of the archive", path)
		}
		is, err := hashOf(filepath.Join(folder, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		if want := m.Files[path]; is.SHA256 != want.SHA256 || is.Bytes != want.Bytes {
			return nil, fmt.Errorf("%s is not what was exported: its SHA-256 is %s, not %s", path, is.SHA256, want.SHA256)
		}
	}
	return m, m.sound()
}

// load reads all items of an archive, and finds out which files they name that it lacks.
func (m *Manifest) load(folder string) (all *memtable.Table, lacking []string, err error) {
	all = new(memtable.Table)
	c := m.checker()
	for _, path := range slices.Sorted(maps.Keys(m.Files)) {
		f := m.Files[path]
		if !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		n, err := load(all, filepath.Join(folder, filepath.FromSlash(path)), c)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if n != f.Count {
			return nil, nil, fmt.Errorf("%s has %d items, not %d", path, n, f.Count)
		}
	}
	return all, c.lacking, all.Sort()
}

// load reads the items of a file.
func load(into *memtable.Table, path string, c *checker) (n int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for r := bufio.NewReader(file); ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) == 0 {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		item, err := attributevalue.UnmarshalMapJSON(line)
		if err != nil {
			return n, err
		}
		if err := c.item(item); err != nil {
			return n, err
		}
		into.Add(item)
	}
}
