package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
)

// Importer makes companies of archives.
type Importer struct {
	*restore.Restorer // of the stage; Restorer makes what is of the archive

	Manifest *Manifest
	Missing  []Person // members who have no account here
	Lacking  []string // versions of files that records name and the archive has not, with the records
}

// Open reads an archive, and finds its people here by their addresses. to is the restorer of the stage, whose copy the archive is. One
// of the owners has to have an account: somebody has to be able to invite the others.
func Open(ctx context.Context, folder string, to restore.Restorer) (*Importer, error) {
	m, err := Read(folder)
	if err != nil {
		return nil, err
	}
	all, lacking, err := m.load(folder)
	if err != nil {
		return nil, err
	}
	i := &Importer{Restorer: &to, Manifest: m, Lacking: lacking}
	to.From = estate.Open(table.Open(all, "archive"), estate.Bucket{})
	to.Copy = fmt.Sprintf("the archive of %s", m.At.Format(time.RFC3339Nano))
	to.Users, to.Files = map[int64]int64{}, m.source(folder)
	for _, p := range m.People {
		var email struct {
			table.Item
			User int64 `dynamo:"u"`
		}
		err := to.To.All().Get(ctx, crosstenant.Email(p.Email), &email)
		switch {
		case errors.Is(err, table.ErrNotFound):
			if p.Member {
				i.Missing = append(i.Missing, p)
			}
		case err != nil:
			return nil, err
		default:
			to.Users[p.User] = email.User
		}
	}
	return i, to.Owned(ctx, m.Company)
}

// source are the files of an archive.
func (m *Manifest) source(folder string) restore.Source {
	return func(yield func(restore.Version) error) error {
		for _, o := range m.Objects {
			open := func() (io.ReadSeekCloser, error) { return os.Open(filepath.Join(folder, filepath.FromSlash(o.Path))) }
			if err := yield(restore.Version{Name: o.Name, Version: o.Version, ContentType: o.ContentType, Open: open}); err != nil {
				return err
			}
		}
		return nil
	}
}
