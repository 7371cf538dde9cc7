// Package tableexport reads an export of a table, as DynamoDB writes it to S3 (export-table-to-point-in-time): a folder AWSDynamoDB/<id>
// with a manifest, a list of files, and the files with the items, JSON Lines that are zipped. What is read may lie in S3, or in a folder
// of this machine that was copied from there.
//
// An export holds all companies of a stage. Each file is read once, from its beginning to its end, compared with its MD5 and its number
// of items, and of its items those of one company are kept, in memory (estate.Sieve).
//
// What never goes in here: making an export, and what is done with a company of it.
package tableexport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// ErrUnfit is the cause of every refusal of what is no export that can be read, or no whole one.
var ErrUnfit = errors.New("the export can't be read")

// The names of the files that tell of an export. Beside them lies the MD5 of each, which is not compared: what both say of numbers of
// items has to agree, with each other and with the files of items.
const (
	summaryFile = "manifest-summary.json"
	listFile    = "manifest-files.json"
)

// Export is an export of a table.
type Export struct {
	ARN   string    // which names the export, wherever it lies
	Of    string    // the ARN of the table, which names its account and region too
	Table string    // the name of the table
	At    time.Time // of what is in it

	items int64
	files []file
	open  source
}

// summary is what the manifest says. Exports of before 2023 say no type, and are full ones.
type summary struct {
	ExportARN    string     `json:"exportArn"`
	TableARN     string     `json:"tableArn"`
	ExportTime   time.Time  `json:"exportTime"`
	ExportType   string     `json:"exportType"`
	FromTime     *time.Time `json:"exportFromTime"`
	OutputFormat string     `json:"outputFormat"`
	ItemCount    *int64     `json:"itemCount"`
}

// file is a file with items.
type file struct {
	Key   string `json:"dataFileS3Key"` // in the bucket that the export was written to
	MD5   string `json:"md5Checksum"`   // of the file as it is, in base64
	Count *int64 `json:"itemCount"`
}

// name is the file's below the folder of the export, wherever that lies by now.
func (f file) name() string { return "data/" + path.Base(f.Key) }

// Open reads what an export says of itself. The place is s3://BUCKET/PREFIX/AWSDynamoDB/ID, or a folder of this machine.
func Open(ctx context.Context, objects Objects, place string) (*Export, error) {
	from, err := find(objects, place)
	if err != nil {
		return nil, err
	}
	x := &Export{open: from}
	if err := x.readSummary(ctx); err != nil {
		return nil, err
	}
	return x, x.readList(ctx)
}

func unfit(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnfit, fmt.Sprintf(format, args...))
}

// small reads a file that tells of the export.
func (x *Export) small(ctx context.Context, name string) ([]byte, error) {
	in, err := x.open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnfit, name, err)
	}
	defer in.Close()
	content, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnfit, name, err)
	}
	return content, nil
}

func (x *Export) readSummary(ctx context.Context) error {
	content, err := x.small(ctx, summaryFile)
	if err != nil {
		return err
	}
	var s summary
	if err := json.Unmarshal(content, &s); err != nil {
		return unfit("%s: %s", summaryFile, err)
	}
	_, name, isTable := strings.Cut(s.TableARN, ":table/")
	switch {
	case s.ExportType != "" && s.ExportType != "FULL_EXPORT", s.FromTime != nil:
		return unfit("it is of type %s, and has what changed in a span of time alone; make one of type FULL_EXPORT", s.ExportType)
	case s.OutputFormat != "DYNAMODB_JSON":
		return unfit("it is in the format %q; make one in the format DYNAMODB_JSON", s.OutputFormat)
	case !isTable || s.ExportARN == "" || s.ExportTime.IsZero() || s.ItemCount == nil:
		return unfit("%s lacks tableArn, exportArn, exportTime or itemCount", summaryFile)
	}
	x.ARN, x.Of, x.Table, x.At, x.items = s.ExportARN, s.TableARN, name, s.ExportTime, *s.ItemCount
	return nil
}

// readList reads the list of files, one a line. Together they have as many items as the export.
func (x *Export) readList(ctx context.Context) error {
	content, err := x.small(ctx, listFile)
	if err != nil {
		return err
	}
	var all int64
	seen := map[string]bool{}
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var f file
		if err := json.Unmarshal(line, &f); err != nil {
			return unfit("%s: %s", listFile, err)
		}
		if path.Base(path.Dir(f.Key)) != "data" || f.MD5 == "" || f.Count == nil || seen[f.name()] {
			return unfit("%s has a line without dataFileS3Key in the folder data, md5Checksum or itemCount, or names a file twice: %s",
				listFile, line)
		}
		seen[f.name()] = true
		all += *f.Count
		x.files = append(x.files, f)
	}
	if all != x.items {
		return unfit("its files have %d items by %s, and %d by %s", all, listFile, x.items, summaryFile)
	}
	return nil
}
