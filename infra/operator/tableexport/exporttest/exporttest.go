// Package exporttest writes exports of tables as DynamoDB writes them, for tests: the engine of one machine makes none.
//
// What never goes in here: what is done with an export.
package exporttest

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tenantry/tenantry/infra/operator/estate/estatetest"
	"github.com/tenantry/tenantry/shared/table"
)

// ID is the id of every export.
const ID = "01693685827463-2d8752fd"

// partitions are how many files hold the items. A further one is of a partition that has none.
const partitions = 3

// Write writes a full export of a table's items, in no order, into the folder AWSDynamoDB/ID, which it returns.
func Write(t testing.TB, name string, items estatetest.Items) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "AWSDynamoDB", ID)
	must(t, os.MkdirAll(filepath.Join(folder, "data"), 0o700))
	texts := make([]bytes.Buffer, partitions+1)
	counts := make([]int, partitions+1)
	for i, key := range slices.SortedFunc(maps.Keys(items), backwards) {
		item, err := attributevalue.MarshalMapJSON(items[key])
		must(t, err)
		fmt.Fprintf(&texts[i%partitions], "{\"Item\":%s}\n", item)
		counts[i%partitions]++
	}
	var list bytes.Buffer
	for i := range texts {
		file := fmt.Sprintf("part%dqzxw4m2yexample.json.gz", i)
		content := Zipped(t, texts[i].Bytes())
		must(t, os.WriteFile(filepath.Join(folder, "data", file), content, 0o600))
		line(t, &list, map[string]any{
			"itemCount": counts[i], "md5Checksum": MD5(content), "etag": "af83d6f217c19b8b0fff8023d8ca4716-1",
			"dataFileS3Key": "exports/AWSDynamoDB/" + ID + "/data/" + file,
		})
	}
	must(t, os.WriteFile(filepath.Join(folder, "manifest-files.json"), list.Bytes(), 0o600))
	arn := "arn:aws:dynamodb:dynoxide:000000000000:table/" + name // as the engine of one machine calls it
	var summary bytes.Buffer
	line(t, &summary, map[string]any{
		"version": "2020-06-30", "exportArn": arn + "/export/" + ID, "startTime": "2026-11-27T07:28:34.028Z",
		"endTime": "2026-11-27T07:33:43.897Z", "tableArn": arn, "tableId": "12345a12-abcd-123a-ab12-1234abc12345",
		"exportTime": "2026-11-27T07:28:34.028Z", "s3Bucket": "exports", "s3Prefix": "exports", "s3SseAlgorithm": "AES256",
		"s3SseKmsKeyId": nil, "manifestFilesS3Key": "exports/AWSDynamoDB/" + ID + "/manifest-files.json", "billedSizeBytes": 0,
		"itemCount": len(items), "outputFormat": "DYNAMODB_JSON", "exportType": "FULL_EXPORT",
	})
	must(t, os.WriteFile(filepath.Join(folder, "manifest-summary.json"), summary.Bytes(), 0o600))
	return folder
}

// backwards orders keys otherwise than a table answers with them.
func backwards(a, b table.Key) int { return strings.Compare(b.SK+b.PK, a.SK+a.PK) }

// Zipped zips a text.
func Zipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(text)
	must(t, err)
	must(t, w.Close())
	return out.Bytes()
}

// MD5 is what an export says of a file.
func MD5(content []byte) string {
	sum := md5.Sum(content)
	return base64.StdEncoding.EncodeToString(sum[:])
}

func line(t testing.TB, out *bytes.Buffer, v any) {
	t.Helper()
	must(t, json.NewEncoder(out).Encode(v))
}

// Upload copies an export into a bucket, and returns its place there.
func Upload(t testing.TB, client *s3.Client, bucket, folder string) (place string) {
	t.Helper()
	prefix := "exports/AWSDynamoDB/" + ID
	must(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		must(t, err)
		name, err := filepath.Rel(folder, path)
		must(t, err)
		_, err = client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: &bucket, Key: aws.String(prefix + "/" + filepath.ToSlash(name)), Body: bytes.NewReader(content),
		})
		return err
	}))
	return "s3://" + bucket + "/" + prefix
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
