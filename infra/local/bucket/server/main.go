// Command server is the local bucket's process: versitygw over a folder.
//
// It is a process of its own because the storage behind it works on paths relative to the working directory, which
// it changes, and allows one instance a process. Package bucket starts and ends it; nothing else needs it. It is a module of its own,
// because it needs more modules than all the rest, and imports nothing of the platform: what the two agree on are flags, variables of
// the environment as AWS's programs have them, and a line that says that it serves.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"
)

// largestCopy is S3's own limit for a copy in one call; the storage's default refuses every copy.
const largestCopy = 5 << 30

func main() {
	folder := flag.String("folder", "", "where the files are kept")
	port := flag.Int("port", 0, "the loopback port")
	region := flag.String("region", "us-east-1", "the region that clients sign for")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, *folder, *region, *port)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, folder, region string, port int) error {
	if folder == "" || port == 0 {
		return errors.New("both -folder and -port are needed")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	storage, err := open(folder)
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(ctx, storage, &embedgw.Config{
		RootUserAccess:    os.Getenv("AWS_ACCESS_KEY_ID"),
		RootUserSecret:    os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Region:            region,
		Ports:             []string{address},
		MaxConnections:    1024,
		MaxRequests:       1024,
		MultipartMaxParts: 10000,
		Quiet:             true,
		KeepAlive:         true,
		DisableACLs:       true,
		S3Options: []s3api.Option{s3api.WithOnListen(func() {
			fmt.Fprintln(os.Stderr, "bucket: listening")
		})},
	})
}

// open makes the storage's folders. What S3 knows of an object beside its bytes lies in extended attributes,
// or, where the file system has none, in files of their own.
func open(folder string) (*posix.Posix, error) {
	objects, versions, beside := filepath.Join(folder, "objects"), filepath.Join(folder, "versions"), filepath.Join(folder, "meta")
	for _, dir := range []string{objects, versions} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	options := posix.PosixOpts{VersioningDir: versions, CopyObjectThreshold: largestCopy}
	attributes := meta.XattrMeta{}
	_, err := os.Stat(beside)
	if err != nil && attributes.Test(objects) == nil {
		return posix.New(objects, attributes, options)
	}
	if err := os.MkdirAll(beside, 0o755); err != nil {
		return nil, err
	}
	files, err := meta.NewSideCar(beside)
	if err != nil {
		return nil, err
	}
	options.SideCarDir = beside
	return posix.New(objects, files, options)
}
