package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// largest is more than any zip of a function has, and than Lambda takes.
const largest = 250 << 20

func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// fetch reads the whole zip at an address.
func fetch(ctx context.Context, client *s3.Client, code string) ([]byte, error) {
	bucket, key, _ := address(code)
	got, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(io.LimitReader(got.Body, largest))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	return body, nil
}

// same tells whether a zip has exactly the files of a folder.
func same(body []byte, built fs.FS, folder string) error {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return err
	}
	in := map[string]bool{}
	for _, f := range archive.File {
		if f.FileInfo().IsDir() {
			continue
		}
		want, err := fs.ReadFile(built, folder+"/"+f.Name)
		if err != nil {
			return err
		}
		entry, err := f.Open()
		if err != nil {
			return err
		}
		got, err := io.ReadAll(io.LimitReader(entry, largest))
		if err = errors.Join(err, entry.Close()); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s differs", f.Name)
		}
		in[f.Name] = true
	}
	return fs.WalkDir(built, folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !in[path[len(folder)+1:]] {
			err = fmt.Errorf("%s is missing", path)
		}
		return err
	})
}
