package uploads

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table"
)

// Image is an image that a record shows: one that is anywhere, by its address, or an
// upload that was taken, of which the record keeps one version of the bytes.
type Image struct {
	URL     string // of one that is anywhere
	ID      uuid.UUID
	Version string
	Name    string // as it was uploaded
}

// IsUpload tells whether it is an upload that was taken.
func (i *Image) IsUpload() bool { return i != nil && i.URL == "" }

// Address is where the image is, for who reads the record; own is that of the
// record's image in the API. It is nil where there is none.
func (i *Image) Address(own string) *string {
	switch {
	case i == nil:
		return nil
	case i.IsUpload():
		return &own
	}
	return &i.URL
}

// Told is what a history tells of the image: of an upload its id, which is another
// one with each.
func (i *Image) Told() *string {
	if i == nil {
		return nil
	}
	return i.Address("upload " + i.ID.String())
}

// MarshalDynamo stores an address as a text.
func (i Image) MarshalDynamo() (table.Value, error) {
	a := table.Attributes{}
	if i.URL != "" {
		a.SetText("u", i.URL)
		return a["u"], nil
	}
	a.SetBytes("i", i.ID[:])
	a.SetText("v", i.Version)
	if i.Name != "" {
		a.SetText("n", i.Name)
	}
	return a.MarshalDynamo()
}

// UnmarshalDynamo reads either.
func (i *Image) UnmarshalDynamo(v table.Value) error {
	one := table.Attributes{"u": v}
	if url := one.Text("u"); url != "" {
		*i = Image{URL: url}
		return nil
	}
	m := one.Map("u")
	id, err := uuid.FromBytes(m.Bytes("i"))
	if err == nil && m.Text("v") == "" {
		err = errors.New("it has no version")
	}
	if err != nil {
		return fmt.Errorf("uploads: stored image: %w", err)
	}
	*i = Image{ID: id, Version: m.Text("v"), Name: m.Text("n")}
	return nil
}
