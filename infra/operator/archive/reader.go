package archive

import (
	"bufio"
	"bytes"
	"context"
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
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

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
	for _, o := range m.Objects {
		if _, known := m.Files[o.Path]; !known {
			return nil, fmt.Errorf("%s is not among the files of the archive", o.Path)
		}
	}
	return m, nil
}

// items are the items of an archive as an engine answers: by partition and key. It takes what package estate asks.
type items struct {
	dynamodbiface.DynamoDBAPI
	partitions map[string][]map[string]types.AttributeValue // each in the order of the keys
}

// load reads all items of an archive.
func (m *Manifest) load(folder string) (*items, error) {
	all := &items{partitions: map[string][]map[string]types.AttributeValue{}}
	for path, f := range m.Files {
		if !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		n, err := all.file(filepath.Join(folder, filepath.FromSlash(path)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if n != f.Count {
			return nil, fmt.Errorf("%s has %d items, not %d", path, n, f.Count)
		}
	}
	for _, list := range all.partitions {
		slices.SortFunc(list, func(a, b map[string]types.AttributeValue) int { return strings.Compare(text(a["sk"]), text(b["sk"])) })
	}
	return all, nil
}

func (i *items) file(path string) (n int, err error) {
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
		pk := text(item["pk"])
		i.partitions[pk] = append(i.partitions[pk], item)
	}
}

func text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func (i *items) at(key map[string]types.AttributeValue) map[string]types.AttributeValue {
	for _, item := range i.partitions[text(key["pk"])] {
		if text(item["sk"]) == text(key["sk"]) {
			return item
		}
	}
	return nil
}

// GetItem answers with one item.
func (i *items) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &dynamodb.GetItemOutput{Item: i.at(in.Key)}, nil
}

// BatchGetItem answers with those items that there are.
func (i *items) BatchGetItem(
	_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}}
	for name, request := range in.RequestItems {
		for _, key := range request.Keys {
			if item := i.at(key); item != nil {
				out.Responses[name] = append(out.Responses[name], item)
			}
		}
	}
	return out, nil
}

// Query answers with a whole partition.
func (i *items) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if len(in.ExpressionAttributeValues) != 1 || in.IndexName != nil {
		return nil, errors.New("archive: partitions are read as wholes")
	}
	for _, pk := range in.ExpressionAttributeValues {
		list := i.partitions[text(pk)]
		return &dynamodb.QueryOutput{Items: list, Count: int32(len(list))}, nil
	}
	return nil, errors.New("archive: no partition")
}
