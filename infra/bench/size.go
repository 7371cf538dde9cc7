package main

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
)

const (
	megabyte = 1_000_000
	deployed = "arm64" // the processor that the template names
)

// build compiles a main package as functions are compiled for Lambda, for this machine unless variables say another.
func (b *bench) build(ctx context.Context, folder string, more ...string) (path string, err error) {
	path = filepath.Join(b.folder, strings.Join(more, "-"), strings.ReplaceAll(folder, "/", "-"), "bootstrap")
	return path, lambdaruntime.Build(ctx, path, b.root, folder, more...)
}

func mainOf(group string) string { return "functions/" + group + "/lambda" }

// sizes measures the size of each function's upload.
func (b *bench) sizes(ctx context.Context, r *section) error {
	rows := [][]string{{"Function", "Binary", "Zipped"}}
	var waited, called weight
	invoked := groups.Invoked()
	for _, group := range slices.Sorted(maps.Keys(b.functions)) {
		path, err := b.build(ctx, mainOf(group), "GOOS=linux", "GOARCH="+deployed)
		if err != nil {
			return err
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size, err := zipped(binary)
		if err != nil {
			return err
		}
		if invoked[group] != nil {
			called.hold(size, group)
		} else {
			waited.hold(size, group)
		}
		rows = append(rows, []string{group, megabytes(len(binary)), megabytes(size)})
	}
	r.judge("zipped bootstrap of each function that others call", called.bytes < 10*megabyte, "< 10 MB", "%s", called)
	r.judge("zipped bootstrap of each function that people wait for", waited.bytes < 8*megabyte, "< 8 MB", "%s", waited)
	r.table(rows)
	r.text("linux/%s, as deployed: without cgo, `-trimpath -tags %s -ldflags '-s -w'`, deflated by Go, which takes some 2 %% more than "+
		"zlib, with which SAM deflates.", deployed, lambdaruntime.Tags)
	return nil
}

// zipped is the size of a binary when it is deflated.
func zipped(binary []byte) (int, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(binary); err != nil {
		return 0, err
	}
	err = w.Close()
	return b.Len(), err
}

func megabytes(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/megabyte) }

// weight is the largest of some functions.
type weight struct {
	bytes int
	group string
}

func (w *weight) hold(bytes int, group string) {
	if bytes > w.bytes {
		*w = weight{bytes, group}
	}
}

func (w weight) String() string { return fmt.Sprintf("%s at most (%s)", megabytes(w.bytes), w.group) }
