package uploads_test

import (
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/files/uploads"
	"github.com/tenantry/tenantry/shared/table"
)

type pictured struct {
	Image *uploads.Image `dynamo:"i,omitempty"`
}

func TestImagesAreStored(t *testing.T) {
	id := uuid.MustParse("9b2f6c1e-4d3a-4c57-8a55-0f3f6b7f2d11")
	for name, image := range map[string]*uploads.Image{
		"none": nil, "anywhere": {URL: "https://example.com/a.png"}, "an upload": {ID: id, Version: "v1", Name: "лицо.png"}, "without a name": {ID: id, Version: "v1"},
	} {
		t.Run(name, func(t *testing.T) {
			item, err := dynamo.MarshalItem(pictured{image})
			var got pictured
			if err == nil {
				err = dynamo.UnmarshalItem(item, &got)
			}
			if err != nil || !reflect.DeepEqual(got.Image, image) {
				t.Errorf("%+v, %v", got.Image, err)
			}
		})
	}
}

// An address is stored as it was when it was a text alone.
func TestImagesAsTheyWereStored(t *testing.T) {
	item := table.Attributes{}
	item.SetText("i", "https://example.com/a.png")
	var got pictured
	if err := item.Decode(&got); err != nil || got.Image.URL != "https://example.com/a.png" {
		t.Errorf("%+v, %v", got.Image, err)
	}
	for _, wrong := range []table.Attributes{{}, {"v": item["i"]}} {
		broken := table.Attributes{}
		broken.SetMap("i", wrong)
		if err := broken.Decode(new(pictured)); err == nil {
			t.Errorf("%v is an image", wrong)
		}
	}
}

func TestAddressesOfImages(t *testing.T) {
	own := "https://api.example.com/v1/x/1/image/"
	upload, elsewhere := &uploads.Image{ID: uuid.UUID{1}, Version: "v"}, &uploads.Image{URL: "https://example.com/a"}
	var none *uploads.Image
	if none.Address(own) != nil || none.Told() != nil || none.IsUpload() || elsewhere.IsUpload() || !upload.IsUpload() {
		t.Error("which is which")
	}
	if *upload.Address(own) != own || *elsewhere.Address(own) != elsewhere.URL || *elsewhere.Told() != elsewhere.URL ||
		*upload.Told() == own {
		t.Error("addresses")
	}
}
