package uploads

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/table"
)

// Image is an image that a record shows: either the address of an image elsewhere, or an
// upload that was taken. Of an upload the record stores one version of the bytes.
type Image struct {
	URL     string // of an image elsewhere
	ID      uuid.UUID
	Version string
	Name    string // of the uploaded file
}

// IsUpload tells whether the image is an upload that was taken.
func (i *Image) IsUpload() bool { return i != nil && i.URL == "" }

// Address returns the address of the image for readers of the record; nil if there is no
// image. own is the address of the record's image in the API.
func (i *Image) Address(own string) *string {
	switch {
	case i == nil:
		return nil
	case i.IsUpload():
		return &own
	}
	return &i.URL
}

// Told returns what a history shows of the image: the address, or the id of the upload, which
// is different for each upload.
func (i *Image) Told() *string {
	if i == nil {
		return nil
	}
	return i.Address("upload " + i.ID.String())
}

// Elsewhere is the address of an image that lies elsewhere; nil for an upload, which has none once its record is deleted.
func (i *Image) Elsewhere() *string {
	if i == nil || i.IsUpload() {
		return nil
	}
	return &i.URL
}

// MarshalDynamo stores an address as a string.
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

// UnmarshalDynamo reads both forms.
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
