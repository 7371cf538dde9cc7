package tableexport

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5" //nolint:gosec // it is what DynamoDB says of its files: it tells damage, and no forgery
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/memtable"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/tenant"
)

// Company reads all files, and returns what package estate reads of a company, as a table. It is an error if any file is not what the
// export says of it.
func (x *Export) Company(ctx context.Context, t tenant.ID) (*memtable.Table, error) {
	of := estate.Sift(t)
	for _, f := range x.files {
		if err := x.read(ctx, f, of); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrUnfit, f.name(), err)
		}
	}
	all, err := of.Table()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	return all, nil
}

// read reads a file of items, and compares the MD5 of its zipped bytes with the manifest.
func (x *Export) read(ctx context.Context, f file, into *estate.Sieve) error {
	in, err := x.open(ctx, f.name())
	if err != nil {
		return err
	}
	defer in.Close()
	sum := md5.New() //nolint:gosec // see above
	hashed := bufio.NewReader(io.TeeReader(in, sum))
	n, err := unzip(ctx, hashed, into)
	if _, rest := io.Copy(io.Discard, hashed); rest != nil { // what follows the zipped items, or what follows where they can't be read
		return errors.Join(err, rest)
	}
	is := base64.StdEncoding.EncodeToString(sum.Sum(nil))
	switch {
	case is != f.MD5:
		return fmt.Errorf("its MD5 is %s, not %s", is, f.MD5)
	case err != nil:
		return err
	case n != *f.Count:
		return fmt.Errorf("it has %d items, not %d", n, *f.Count)
	}
	return nil
}

// unzip reads zipped items, one a line. A partition of the table without items makes a file without bytes, or one of an empty text.
func unzip(ctx context.Context, zipped *bufio.Reader, into *estate.Sieve) (n int64, err error) {
	if _, err := zipped.Peek(1); errors.Is(err, io.EOF) {
		return 0, nil
	}
	plain, err := gzip.NewReader(zipped)
	if err != nil {
		return 0, err
	}
	lines, more := bufio.NewReader(plain), true
	for more && err == nil {
		var line []byte
		if line, err = lines.ReadBytes('\n'); errors.Is(err, io.EOF) {
			more, err = false, nil
		}
		if err == nil && len(bytes.TrimSpace(line)) > 0 {
			n++
			if err = take(line, into); err != nil {
				err = fmt.Errorf("line %d: %w", n, err)
			}
		}
		err = errors.Join(err, ctx.Err())
	}
	return n, err
}

// take adds the item of a line, if it is wanted. Of one that isn't no more is looked at than its key.
func take(line []byte, into *estate.Sieve) error {
	var of struct{ Item json.RawMessage }
	if err := json.Unmarshal(line, &of); err != nil {
		return err
	}
	var key struct {
		PK, SK struct{ S string }
	}
	if err := json.Unmarshal(of.Item, &key); err != nil {
		return err
	}
	if key.PK.S == "" || key.SK.S == "" {
		return errors.New("it is no item of a table with the keys pk and sk")
	}
	if !into.Wants(table.Key{PK: key.PK.S, SK: key.SK.S}) {
		return nil
	}
	item, err := attributevalue.UnmarshalMapJSON(of.Item)
	if err != nil {
		return err
	}
	into.Add(item)
	return nil
}
