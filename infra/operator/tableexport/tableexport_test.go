package tableexport_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/infra/local/bucket/buckettest"
	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/infra/operator/memtable"
	"github.com/tenantry/tenantry/infra/operator/tableexport"
	"github.com/tenantry/tenantry/infra/operator/tableexport/exporttest"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// all is what package estate reads of a company, by key.
func all(t *testing.T, conn *table.Conn, company tenant.ID) map[table.Key]table.Attributes {
	t.Helper()
	e, found := estate.Open(conn, estate.Bucket{}), map[table.Key]table.Attributes{}
	numbers, err := e.Numbers(t.Context(), company)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range e.Own(t.Context(), company, numbers) {
		if err != nil {
			t.Fatal(err)
		}
		found[estate.KeyOf(item)] = item
	}
	for item, err := range e.Outside(t.Context(), company) {
		if err != nil {
			t.Fatal(err)
		}
		found[estate.KeyOf(item.Attributes)] = item.Attributes
	}
	return found
}

// Of each company an export has what the table has: the same is read of both, its members and their identities too, and nothing of
// anybody else is held.
func TestCompany(t *testing.T) {
	w := estatetest.Make(t)
	conn, name := w.Table(t)
	folder := exporttest.Write(t, name, estatetest.Scan(t, name))
	client, bucket := buckettest.Client(t)
	for _, place := range []string{folder, exporttest.Upload(t, client, bucket, folder)} {
		x, err := tableexport.Open(t.Context(), client, place)
		if err != nil {
			t.Fatal(err)
		}
		if x.Table != name || !strings.HasSuffix(x.ARN, "/export/"+exporttest.ID) || !x.At.Equal(time.Date(2026, 11, 27, 7, 28, 34, 28e6, time.UTC)) {
			t.Errorf("%s: %+v", place, x)
		}
		for company := tenant.ID(1); company <= 5; company++ {
			held, err := x.Company(t.Context(), company)
			if err != nil {
				t.Fatal(err)
			}
			want, got := all(t, conn, company), all(t, table.Open(held, name), company)
			if len(want) < 3 || !reflect.DeepEqual(want, got) {
				t.Errorf("company %d: %d items, not %d", company, len(got), len(want))
			}
			people(t, w, held, company)
		}
		if none, err := x.Company(t.Context(), 77); err != nil || len(all(t, table.Open(none, name), 77)) > 0 {
			t.Errorf("of nobody: %v", err)
		}
	}
}

// people looks whether those are held who are members, and nobody else.
func people(t *testing.T, w *estatetest.World, held *memtable.Table, company tenant.ID) {
	t.Helper()
	members := map[int64]bool{}
	for _, member := range held.Partition(table.Of(table.Open(nil, ""), company).Member(0).PK) {
		members[table.Attributes(member).Int("u")] = true
	}
	for user := int64(1); user <= 5; user++ {
		list := held.Partition(crosstenant.User(user).PK)
		if (len(list) > 0) != members[user] {
			t.Errorf("company %d holds %d items of user %d", company, len(list), user)
		}
		for _, item := range list {
			if sk := table.Attributes(item).Text("sk"); strings.HasPrefix(sk, "family#") || strings.HasPrefix(sk, "replay#") {
				t.Errorf("company %d holds %s of user %d", company, sk, user)
			}
		}
	}
	for key, item := range w.Items {
		if list := held.Partition(key.PK); len(list) > 0 && !slices.Contains(estatetest.Of(key, item), company) &&
			key.PK[0] != 'U' && key.PK[0] != 'I' && slices.ContainsFunc(list, func(i memtable.Item) bool {
			return table.Attributes(i).Text("sk") == key.SK
		}) {
			t.Errorf("company %d holds %v", company, key)
		}
	}
}

// What is damaged, not whole or of another form is refused.
func TestUnfit(t *testing.T) {
	w := estatetest.Make(t)
	const one = "data/part1qzxw4m2yexample.json.gz"
	read := func(folder, name string) []byte {
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	write := func(folder, name string, content []byte) {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change := func(name, was, is string) func(folder string) {
		return func(folder string) {
			content := read(folder, name)
			if !bytes.Contains(content, []byte(was)) {
				t.Fatalf("%s has no %s", name, was)
			}
			write(folder, name, bytes.Replace(content, []byte(was), []byte(is), 1))
		}
	}
	// other puts another text into a file of items, and its MD5 into the list.
	other := func(text string) func(folder string) {
		return func(folder string) {
			was, is := read(folder, one), exporttest.Zipped(t, []byte(text))
			write(folder, one, is)
			change("manifest-files.json", exporttest.MD5(was), exporttest.MD5(is))(folder)
		}
	}
	for name, c := range map[string]struct {
		change func(folder string)
		want   string
	}{
		"a damaged file": {func(folder string) {
			content := read(folder, one)
			content[len(content)/2] ^= 1
			write(folder, one, content)
		}, one + ": its MD5 is "},
		"a file that ends early": {func(folder string) {
			content := read(folder, one)
			write(folder, one, content[:len(content)-20])
		}, one + ": its MD5 is "},
		"a missing file":              {func(folder string) { _ = os.Remove(filepath.Join(folder, one)) }, one + ": open "},
		"no manifest":                 {func(folder string) { _ = os.Remove(filepath.Join(folder, "manifest-summary.json")) }, "manifest-summary.json: open "},
		"no list":                     {func(folder string) { _ = os.Remove(filepath.Join(folder, "manifest-files.json")) }, "manifest-files.json: open "},
		"a wrong sum":                 {change("manifest-summary.json", `"itemCount":`, `"itemCount":9`), "by manifest-files.json, and 9"},
		"a line less":                 {func(folder string) { write(folder, "manifest-files.json", cut(read(folder, "manifest-files.json"))) }, "by manifest-files.json, and "},
		"an incremental export":       {change("manifest-summary.json", "FULL_EXPORT", "INCREMENTAL_EXPORT"), "of type INCREMENTAL_EXPORT"},
		"an incremental one, untyped": {change("manifest-summary.json", `"exportType":"FULL_EXPORT"`, `"exportFromTime":"2026-11-27T07:28:34.028Z"`), "a span of time"},
		"an ION export":               {change("manifest-summary.json", "DYNAMODB_JSON", "ION"), `in the format "ION"`},
		"no table":                    {change("manifest-summary.json", `"tableArn":`, `"queueArn":`), "lacks tableArn"},
		"no JSON":                     {change("manifest-summary.json", "{", "["), "manifest-summary.json: "},
		"a list that is no JSON":      {change("manifest-files.json", "{", "["), "manifest-files.json: "},
		"a file elsewhere":            {change("manifest-files.json", "/data/", "/more/"), "dataFileS3Key in the folder data"},
		"a file twice":                {change("manifest-files.json", "part1", "part0"), "names a file twice"},
		"other items":                 {other(`{"Item":{"pk":{"S":"G#user"},"sk":{"S":"seq"}}}` + "\n"), one + ": it has 1 items, not "},
		"an item of another table":    {other(`{"Item":{"id":{"S":"1"}}}` + "\n"), one + ": line 1: it is no item of a table with the keys pk and sk"},
		"a line that is no JSON":      {other("{\n"), one + ": line 1: unexpected end"},
		"a change instead of an item": {other(`{"Keys":{"pk":{"S":"T#1#cli"}},"NewImage":{}}` + "\n"), one + ": line 1: "},
	} {
		t.Run(name, func(t *testing.T) {
			folder := exporttest.Write(t, "tenantry", w.Items)
			c.change(folder)
			x, err := tableexport.Open(t.Context(), nil, folder)
			if err == nil {
				_, err = x.Company(t.Context(), 1)
			}
			if !errors.Is(err, tableexport.ErrUnfit) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, not %q", err, c.want)
			}
		})
	}
	for _, place := range []string{"s3://", "s3://bucket", "s3://bucket/"} {
		if _, err := tableexport.Open(t.Context(), nil, place); err == nil || !strings.Contains(err.Error(), "is no place of an export") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// cut cuts the first line off.
func cut(content []byte) []byte {
	_, rest, _ := bytes.Cut(content, []byte("\n"))
	return rest
}

// A partition of the table without items makes a file without bytes, too; and exports of before say nothing of their type.
func TestEmptyFile(t *testing.T) {
	folder := exporttest.Write(t, "tenantry", estatetest.Items{})
	var was []byte
	for i := range 4 { // an empty text is the same in all of them
		name := filepath.Join(folder, fmt.Sprintf("data/part%dqzxw4m2yexample.json.gz", i))
		var err error
		if was, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, change := range map[string][2]string{
		"manifest-files.json":   {exporttest.MD5(was), exporttest.MD5(nil)},
		"manifest-summary.json": {`,"exportType":"FULL_EXPORT"`, ""},
	} {
		content, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.ReplaceAll(content, []byte(change[0]), []byte(change[1]))
		if err := os.WriteFile(filepath.Join(folder, path), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x, err := tableexport.Open(t.Context(), nil, folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Company(t.Context(), 1); err != nil {
		t.Error(err)
	}
}
