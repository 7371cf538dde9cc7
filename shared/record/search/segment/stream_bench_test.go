package segment_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// partFiles are so many files of a million clients each, with ids one after the other.
func partFiles(b *testing.B, parts int) (files []string) {
	for n := range parts {
		r := rand.New(rand.NewPCG(uint64(n), 9))
		data, err := segment.Build(clientShape, func(yield func(segment.Entry) bool) {
			for id := range 1_000_000 {
				if !yield(client(r, int64(1+n*1_000_000+id))) {
					return
				}
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, filepath.Join(b.TempDir(), fmt.Sprint(n)))
		if err := os.WriteFile(files[n], data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return files
}

// load reads a file as the search does.
func load(b *testing.B, file string) *segment.Segment {
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	sha256.Sum256(data)
	return open(b, data)
}

// peak reports the most that the heap has had while something runs, what is no longer needed but not collected yet included.
func peak(b *testing.B, run func()) {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before, most := sample[0].Value.Uint64(), uint64(0)
	done, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				metrics.Read(sample)
				most = max(most, sample[0].Value.Uint64())
			}
		}
	}()
	run()
	close(done)
	<-ended
	b.ReportMetric(float64(most-min(before, most))/1e6, "MB-peak")
}

// Four million clients in four files. Each pass reads all. Two of them stay in memory, as of 128 MB, or none.
func BenchmarkStream(b *testing.B) {
	files, changes := partFiles(b, 4), changed(300)
	kept := make([]*segment.Segment, 2)
	stream := segment.Stream(func(do func(v *segment.View)) error {
		for n, file := range files {
			ids := segment.Span{Low: int64(1 + n*1_000_000), High: int64((n + 1) * 1_000_000)}
			list := changes
			if n > 0 {
				list = nil
			}
			loaded := load(b, file)
			if len(kept) > 0 {
				kept[n%2] = loaded
			}
			do(segment.NewRange([]*segment.Segment{loaded}, ids).View(clientShape, list))
		}
		return nil
	})
	b.Run("all, two kept", func(b *testing.B) {
		peak(b, func() {
			for b.Loop() {
				if _, _, err := stream.Find(segment.Query{Size: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	kept = nil
	for _, q := range append(queries, struct {
		name  string
		query segment.Query
	}{"by name, all", segment.Query{Order: []segment.By{{Field: segment.Name}}, Size: 4_000_000}}) {
		q.query.Size = max(q.query.Size, 20)
		q.query.Offset *= 4
		b.Run(q.name, func(b *testing.B) {
			peak(b, func() {
				for b.Loop() {
					if _, _, err := stream.Find(q.query); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// What one file of a million clients takes while it is opened, and while it is merged with a quarter as many.
func BenchmarkPart(b *testing.B) {
	files := partFiles(b, 1)
	small := filepath.Join(b.TempDir(), "small")
	if err := os.WriteFile(small, makeClients(b, 250_000, 3), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		peak(b, func() {
			for b.Loop() {
				runtime.GC()
				load(b, files[0])
			}
		})
	})
	b.Run("merge", func(b *testing.B) {
		peak(b, func() {
			for b.Loop() {
				runtime.GC()
				data, err := segment.MergeAll(clientShape, []*segment.Segment{load(b, files[0]), load(b, small)}, nil, true)
				if err != nil {
					b.Fatal(err)
				}
				open(b, data)
			}
		})
	})
}
