package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/infra/local/lambdaruntime"
)

const (
	megabyte = 1_000_000
	zipBound = 8 * megabyte
	// callBound is the bound of functions that others call: they hold what is too large for functions that people wait for.
	callBound = 10 * megabyte
	deployed  = "arm64" // the processor that the template names
	bootstrap = "bootstrap"
)

// groups returns the names of the folders of all functions.
func (b *bench) groups() (names []string) {
	for _, f := range b.template.Functions {
		names = append(names, f.Group())
	}
	slices.Sort(names)
	return names
}

// build compiles a main package as functions are compiled for Lambda.
func (b *bench) build(ctx context.Context, folder, processor, system string) (path string, err error) {
	path = filepath.Join(b.folder, processor, strings.ReplaceAll(folder, "/", "-"), bootstrap)
	return path, lambdaruntime.Build(ctx, path, b.root, folder, "GOARCH="+processor, "GOOS="+system)
}

// buildHere compiles a package for this machine.
func (b *bench) buildHere(ctx context.Context, folder string) (string, error) {
	return b.build(ctx, folder, runtime.GOARCH, runtime.GOOS)
}

func mainOf(group string) string { return "functions/" + group + "/lambda" }

// sizes measures the size of each function's upload.
func (b *bench) sizes(ctx context.Context, r *section) error {
	r.Title = "Size of the functions"
	rows := [][]string{{"Function", "Binary", "Zipped"}}
	largest, of, way := 0, "", "deflated by Python's zipfile, as by SAM"
	invoked := groups.Invoked()
	for _, group := range b.groups() {
		path, err := b.build(ctx, mainOf(group), deployed, "linux")
		if err != nil {
			return err
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size, err := zippedAsDeployed(ctx, path)
		if errors.Is(err, exec.ErrNotFound) {
			way = "deflated by Go, which takes some 2 % more than zlib, with which SAM deflates: there was no Python for that"
			size, err = zipped(binary)
		}
		if err != nil {
			return err
		}
		switch {
		case invoked[group] != nil:
			r.judge("zipped bootstrap of "+group+", which others call", size < callBound, "< 10 MB", "%s", megabytes(size))
		case size > largest:
			largest, of = size, group
		}
		rows = append(rows, []string{group, megabytes(len(binary)), megabytes(size)})
	}
	r.judge("zipped bootstrap of each function", largest < zipBound, "< 8 MB", "%s at most (%s)", megabytes(largest), of)
	r.table(rows)
	r.text("linux/%s, as deployed: without cgo, `-trimpath -tags %s -ldflags '-s -w'`, %s.", deployed, lambdaruntime.Tags, way)
	return nil
}

// zippedAsDeployed returns the size of a zip file that holds only the binary, if there is Python, in which SAM is written.
func zippedAsDeployed(ctx context.Context, binary string) (int, error) {
	file := binary + ".zip"
	if err := exec.CommandContext(ctx, "python3", "-m", "zipfile", "-c", file, binary).Run(); err != nil {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return int(info.Size()), os.Remove(file)
}

// zipped is the same by Go.
func zipped(binary []byte) (int, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.DefaultCompression)
	})
	f, err := w.Create(bootstrap)
	if err != nil {
		return 0, err
	}
	if _, err := f.Write(binary); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return b.Len(), nil
}

func megabytes(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/megabyte) }
