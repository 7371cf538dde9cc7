package archive

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/infra/operator/restore"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/keyspace"
	"github.com/tenantry/tenantry/shared/tenant"
)

// sound is an error if the manifest says what no export writes. Whoever can change an archive can put its SHA-256 right as well, so what
// it says decides over nothing that is not the company's.
func (m *Manifest) sound() error {
	if m.Company <= 0 {
		return fmt.Errorf("the archive is of company %d", m.Company)
	}
	versions := map[string]bool{}
	for _, o := range m.Objects {
		if _, known := m.Files[o.Path]; !known {
			return fmt.Errorf("%s is not among the files of the archive", o.Path)
		}
		if id, err := uuid.Parse(o.Name); err != nil || id.String() != o.Name {
			return fmt.Errorf("%s: %q is no name of a file", o.Path, o.Name)
		}
		if o.Version == "" || versions[o.Version] {
			return fmt.Errorf("%s: another file has the version %q", o.Path, o.Version)
		}
		versions[o.Version] = true
	}
	addresses, users := map[string]bool{}, map[int64]bool{}
	for _, p := range m.People {
		address := strings.ToLower(p.Email)
		if p.User <= 0 || addresses[address] || users[p.User] {
			return fmt.Errorf("two people of the archive have the number %d or the address %q", p.User, p.Email)
		}
		addresses[address], users[p.User] = true, true
	}
	return nil
}

// checker looks at the items of an archive as they are read.
type checker struct {
	company tenant.ID
	keys    *keyspace.Space
	files   map[restore.Named]bool
	lacking []string
}

func (m *Manifest) checker() *checker {
	c := &checker{company: m.Company, keys: keyspace.New(), files: map[restore.Named]bool{}}
	for _, o := range m.Objects {
		c.files[restore.Named{Name: o.Name, Version: o.Version}] = true
	}
	return c
}

// item is an error unless an item is the company's, by its key or, where it is of no company, by what it says.
func (c *checker) item(item table.Attributes) error {
	pk, sk := item.Text("pk"), item.Text("sk")
	p, known := c.keys.Of(pk)
	if !known || !c.keys.Item(pk, sk) {
		return fmt.Errorf("%q %q is no key of the table", pk, sk)
	}
	t, own := table.TenantOf(pk)
	switch {
	case own && t != c.company, !own && tenant.ID(item.Int("t")) != c.company:
		return fmt.Errorf("%q %q is not of company %d", pk, sk, c.company)
	case !own && p.Found != keyspace.ByOthers:
		return fmt.Errorf("%q %q is of no company", pk, sk)
	}
	named, err := restore.Files(p, item)
	if err != nil {
		return err
	}
	for _, f := range named {
		if !c.files[f] {
			c.lacking = append(c.lacking, fmt.Sprintf("%s of %s %s", f.Name, pk, sk))
		}
	}
	return nil
}
