// Package archive is a company in a folder: its items as JSON Lines, one file for each kind of partition, its files as they are, and a
// manifest with counts and SHA-256. Export writes one, Import makes a company of it, on another stage or on the same one.
//
// It is the operator's: items are as the table has them. Of the company's people it holds names, addresses and phones, and no password.
// Left out are messages, what is of the moment, what ends by its time, the last export by the API, segments of the search, and the host
// and invitations, which mean nothing elsewhere.
//
// What never goes in here: the company's own export in the shapes of the API, and how items change their number (package restore).
package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Format is the version of the form of an archive.
const Format = 1

// Manifest is what an archive holds.
type Manifest struct {
	Format  int             `json:"format"`
	Layout  string          `json:"layout"` // of the registry of keys
	Company tenant.ID       `json:"company"`
	Name    string          `json:"name"`
	At      time.Time       `json:"at"`
	Files   map[string]File `json:"files"` // by path in the folder
	Objects []Object        `json:"objects"`
	People  []Person        `json:"people"`
}

// File is one file of an archive.
type File struct {
	Count  int    `json:"count"` // of items
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Object is one version of a file of the company; those of one name are in the order in which they were stored.
type Object struct {
	Path        string `json:"path"`
	Name        string `json:"name"` // its uuid
	Version     string `json:"version"`
	ContentType string `json:"content_type"`
}

// Person is a user that the company's records may name.
type Person struct {
	User   int64  `json:"user"`
	Member bool   `json:"member"`
	Email  string `json:"email"`
	First  string `json:"first_name"`
	Last   string `json:"last_name"`
	Phone  string `json:"phone"`
}

// manifestFile is the file that is written last: a folder without it is no archive.
const manifestFile = "manifest.json"

// exported tells whether an item of the company goes into the archive.
func exported(e *estate.Estates, item table.Attributes) bool {
	switch e.Pattern(item.Text("pk")).Name {
	case "outbox", "inbox", "allowance", "rate", "upload", "export", "email", "host", "user":
		return false
	case "dir":
		return item.Text("sk") != "s#"
	}
	return true
}

// Export writes the archive of a company into a folder. One that was not ended is begun anew; files that are there already are kept.
func Export(ctx context.Context, e *estate.Estates, t tenant.ID, folder string, now time.Time) (*Manifest, error) {
	company, err := e.Company(ctx, t)
	if err != nil {
		return nil, err
	}
	if company == nil {
		return nil, fmt.Errorf("there is no company %d", t)
	}
	if _, err := os.Stat(filepath.Join(folder, manifestFile)); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds an archive already", folder)
	}
	for _, dir := range []string{"items", "objects"} {
		if err := os.MkdirAll(filepath.Join(folder, dir), 0o700); err != nil {
			return nil, err
		}
	}
	m := &Manifest{Format: Format, Layout: keyspace.Layout, Company: t, Name: company.Text("n"), At: now.UTC(), Files: map[string]File{}}
	w := &writer{folder: folder, files: map[string]*lines{}}
	err = w.items(ctx, e, t)
	if err = errors.Join(err, w.close(m)); err != nil {
		return nil, err
	}
	if m.People, err = people(ctx, e, t); err != nil {
		return nil, err
	}
	if err := m.objects(ctx, e, folder); err != nil {
		return nil, err
	}
	content, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	part := filepath.Join(folder, manifestFile+".part")
	if err := os.WriteFile(part, content, 0o600); err != nil {
		return nil, err
	}
	return m, os.Rename(part, filepath.Join(folder, manifestFile))
}

// writer writes items into files.
type writer struct {
	folder string
	files  map[string]*lines
}

// lines are a file of items.
type lines struct {
	*bufio.Writer
	file  *os.File
	count int
}

func (w *writer) items(ctx context.Context, e *estate.Estates, t tenant.ID) error {
	numbers, err := e.Numbers(ctx, t)
	if err != nil {
		return err
	}
	put := func(item table.Attributes, err error) error {
		if err != nil || !exported(e, item) {
			return err
		}
		return w.put(e.Pattern(item.Text("pk")).Name, item)
	}
	for item, err := range e.Own(ctx, t, numbers) {
		if err := put(item, err); err != nil {
			return err
		}
	}
	for item, err := range e.Outside(ctx, t) {
		if err := put(item.Attributes, err); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) put(name string, item table.Attributes) error {
	l := w.files[name]
	if l == nil {
		file, err := os.OpenFile(filepath.Join(w.folder, "items", name+".jsonl"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		l = &lines{Writer: bufio.NewWriter(file), file: file}
		w.files[name] = l
	}
	line, err := attributevalue.MarshalMapJSON(item)
	if err != nil {
		return err
	}
	l.count++
	_, err = l.Write(append(line, '\n'))
	return err
}

// close ends the files, and tells the manifest of them.
func (w *writer) close(m *Manifest) (err error) {
	for name, l := range w.files {
		path := filepath.Join("items", name+".jsonl")
		err = errors.Join(err, l.Flush(), l.file.Close())
		f, hashErr := hashOf(filepath.Join(w.folder, path))
		f.Count = l.count
		m.Files[filepath.ToSlash(path)] = f
		err = errors.Join(err, hashErr)
	}
	return err
}

func hashOf(path string) (f File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	sum := sha256.New()
	f.Bytes, err = io.Copy(sum, file)
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, err
}

// people are the users that the company has as members or had as such.
func people(ctx context.Context, e *estate.Estates, t tenant.ID) ([]Person, error) {
	list, of := map[int64]Person{}, e.Of(t)
	for _, partition := range []struct{ pk, at string }{
		{of.Archive("stf", 0).PK, "us"}, {of.Records("stf"), "us"}, {of.Member(0).PK, "u"},
	} {
		for item, err := range e.Partition(ctx, partition.pk) {
			if err != nil {
				return nil, err
			}
			user := item.Int(partition.at)
			if user == 0 {
				continue
			}
			var p crosstenant.Person
			err := e.All().Get(ctx, crosstenant.User(user), &p)
			if errors.Is(err, table.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			list[user] = Person{user, partition.at == "u", p.Email, p.FirstName, p.LastName, p.Phone}
		}
	}
	var all []Person
	for _, user := range slices.Sorted(maps.Keys(list)) {
		all = append(all, list[user])
	}
	return all, nil
}

// objects copies the company's files into the folder, all versions, the oldest of each first.
func (m *Manifest) objects(ctx context.Context, e *estate.Estates, folder string) error {
	versions := map[string][]estate.Object{}
	prefix := estate.Prefix(keyspace.Files, m.Company)
	for o, err := range e.Folder(ctx, prefix) {
		if err != nil {
			return err
		}
		if !o.Mark {
			versions[o.Key[len(prefix):]] = append(versions[o.Key[len(prefix):]], o)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		for i, o := range slices.Backward(versions[name]) {
			path := filepath.ToSlash(filepath.Join("objects", fmt.Sprintf("%s.%d", name, len(versions[name])-i)))
			contentType, err := fetch(ctx, e.Bucket(), o, filepath.Join(folder, path))
			if err != nil {
				return err
			}
			f, err := hashOf(filepath.Join(folder, path))
			if err != nil {
				return err
			}
			m.Files[path] = f
			m.Objects = append(m.Objects, Object{path, name, o.Version, contentType})
		}
	}
	return nil
}

// fetch writes one version of an object into a file.
func fetch(ctx context.Context, b estate.Bucket, o estate.Object, path string) (contentType string, err error) {
	out, err := b.API.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.Name, Key: &o.Key, VersionId: &o.Version})
	if err != nil {
		return "", fmt.Errorf("archive: %s: %w", o.Key, err)
	}
	defer out.Body.Close()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(file, out.Body)
	if err = errors.Join(err, file.Close()); err == nil && n != o.Size {
		err = fmt.Errorf("archive: %s has %d bytes, and %d were read", o.Key, o.Size, n)
	}
	if out.ContentType != nil {
		contentType = *out.ContentType
	}
	return contentType, err
}
