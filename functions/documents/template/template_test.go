package template

import (
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
)

// Texts are stored once for each that differs, and a template keeps the version that it has.
func TestTexts(t *testing.T) {
	store := filestest.New(t)
	long := strings.Repeat("<", MaxContent)
	first := Text{Content: long, Header: strings.Repeat("ұ", MaxEdge), Footer: "</p>&"}
	var a Template
	if err := a.Write(t.Context(), store, 1, first); err != nil {
		t.Fatal(err)
	}
	before := a.Text
	for _, text := range []Text{first, {Content: "b"}, first} {
		if err := a.Write(t.Context(), store, 1, text); err != nil {
			t.Fatal(err)
		}
		if got, err := a.Read(t.Context(), store, 1); err != nil || got != text {
			t.Errorf("%.40q, %v", got, err)
		}
		if text == first && a.Text.ID != before.ID {
			t.Error("the same texts have another name")
		}
	}
	if _, err := a.Read(t.Context(), store, 2); err == nil {
		t.Error("another company reads them")
	}
}

func TestKindOf(t *testing.T) {
	if KindOf(OfClient).Code != kinds.Client || KindOf(OfOrder).Code != kinds.Order {
		t.Error("which is which")
	}
}

// What a history tells of a template has its texts by their hash alone.
func TestShown(t *testing.T) {
	a := Template{Name: "a", About: OfClient, Disabled: true, Text: File{SHA256: []byte{0xab}}}
	a.Created = moment.Of(time.Now())
	if s := a.Shown(); s.Text != "ab" || s.Status != Disabled || s.Points == nil {
		t.Errorf("%+v", s)
	}
}
