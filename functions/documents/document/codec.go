package document

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/table"
)

// The item of a document. It is read and written by hand, because a page reads up to a thousand of them: by reflection a list of 20 took
// 450 µs of the function's time instead of 190. Signs, which few documents have, are not.
//
//	u uuid        n name        s source     b created_by
//	q last file   a last sign   t template   y shown
//	h content {o e}             k layout {o e}     p upload {o e}
//	f files [{n t o e a k z h}] g signs      l links [{c i r a}]
//	j seal {a l c h}            o base       e removed signs
//
// Beside them are those of record.Meta.

// setText leaves out an empty text.
func setText(a table.Attributes, name, value string) {
	if value != "" {
		a.SetText(name, value)
	}
}

// MarshalDynamoItem gives the item of a document. Its error is a fault where the
// document is too large.
func (d *Document) MarshalDynamoItem() (dynamo.Item, error) {
	a := d.Meta.Attributes()
	a.SetBytes("u", d.UUID[:])
	setText(a, kinds.Name, d.Name)
	setText(a, "o", d.Base)
	a.SetInt("s", int64(d.Source))
	a.SetInt("b", d.CreatedBy)
	a.SetInt("q", d.LastFile)
	for name, n := range map[string]int64{"a": d.LastSign, "t": d.Template, "y": d.Shown} {
		if n != 0 {
			a.SetInt(name, n)
		}
	}
	setObject(a, "h", d.Content)
	setObject(a, "k", d.Layout)
	setObject(a, "p", d.Upload)
	if d.Seal != nil {
		a.SetMap("j", d.Seal.encode())
	}
	if len(d.Files) > 0 {
		list := make([]table.Attributes, len(d.Files))
		for i := range d.Files {
			list[i] = d.Files[i].encode()
		}
		a.SetList("f", list)
	}
	if len(d.Links) > 0 {
		list := make([]table.Attributes, len(d.Links))
		for i, l := range d.Links {
			list[i] = table.Attributes{}
			list[i].SetText("c", l.Model)
			list[i].SetInt("i", l.ObjectID)
			list[i].SetInt("r", l.Role)
			setText(list[i], "a", l.Label)
		}
		a.SetList("l", list)
	}
	if len(d.Signs) > 0 {
		signs, err := dynamo.Marshal(d.Signs)
		if err != nil {
			return nil, fmt.Errorf("document: signs of %d: %w", d.ID, err)
		}
		a["g"] = signs
	}
	if len(d.Removed) > 0 {
		removed, err := dynamo.Marshal(d.Removed)
		if err != nil {
			return nil, fmt.Errorf("document: removed signs of %d: %w", d.ID, err)
		}
		a["e"] = removed
	}
	return dynamo.Item(a), d.check(a.Size())
}

// setObject leaves out what there isn't.
func setObject(a table.Attributes, name string, o *Object) {
	if o != nil {
		a.SetMap(name, o.encode())
	}
}

// objectAt is the object at an attribute; nil if there is none.
func objectAt(a table.Attributes, name string) (*Object, error) {
	m := a.Map(name)
	if m == nil {
		return nil, nil // the item has no object at the attribute
	}
	o := new(Object)
	return o, o.decode(m)
}

func (o *Object) encode() table.Attributes {
	a := table.Attributes{}
	a.SetBytes("o", o.ID[:])
	a.SetText("e", o.Version)
	return a
}

func (s *Seal) encode() table.Attributes {
	a := table.Attributes{}
	a.SetInt("a", s.At)
	a.SetText("l", s.Level)
	a.SetBytes("c", s.Certificate)
	a.SetBytes("h", s.Head)
	return a
}

func (f *File) encode() table.Attributes {
	a := f.Object.encode()
	a.SetInt("n", f.Number)
	a.SetInt("t", int64(f.Type))
	setText(a, "a", f.Name)
	a.SetText("k", f.ContentType)
	a.SetInt("z", f.Size)
	a.SetBytes("h", f.SHA256)
	return a
}

// UnmarshalDynamoItem reads the item of a document.
func (d *Document) UnmarshalDynamoItem(item dynamo.Item) error {
	a := table.Attributes(item)
	meta, err := record.MetaOf(a)
	if err != nil {
		return fmt.Errorf("document: %w", err)
	}
	id := meta.ID
	*d = Document{
		Meta: meta, Name: a.Text(kinds.Name), Source: Source(a.Int("s")), CreatedBy: a.Int("b"), LastFile: a.Int("q"),
		LastSign: a.Int("a"), Template: a.Int("t"), Shown: a.Int("y"), Base: a.Text("o"),
	}
	if d.UUID, err = uuid.FromBytes(a.Bytes("u")); err != nil {
		return fmt.Errorf("document: uuid of document %d: %w", id, err)
	}
	if d.Content, err = objectAt(a, "h"); err != nil {
		return fmt.Errorf("document: content of document %d: %w", id, err)
	}
	if d.Layout, err = objectAt(a, "k"); err != nil {
		return fmt.Errorf("document: layout of document %d: %w", id, err)
	}
	if d.Upload, err = objectAt(a, "p"); err != nil {
		return fmt.Errorf("document: upload of document %d: %w", id, err)
	}
	if j := a.Map("j"); j != nil {
		d.Seal = &Seal{At: j.Int("a"), Level: j.Text("l"), Certificate: j.Bytes("c"), Head: j.Bytes("h")}
	}
	if list := a.List("f"); list != nil {
		d.Files = make([]File, len(list))
		for i, f := range list {
			if err := d.Files[i].decode(f); err != nil {
				return fmt.Errorf("document: file of document %d: %w", id, err)
			}
		}
	}
	if list := a.List("l"); list != nil {
		d.Links = make([]Link, len(list))
		for i, l := range list {
			d.Links[i] = Link{Model: l.Text("c"), ObjectID: l.Int("i"), Role: l.Int("r"), Label: l.Text("a")}
		}
	}
	if signs, ok := a["g"]; ok {
		if err := dynamo.Unmarshal(signs, &d.Signs); err != nil {
			return fmt.Errorf("document: signs of document %d: %w", id, err)
		}
	}
	if removed, ok := a["e"]; ok {
		if err := dynamo.Unmarshal(removed, &d.Removed); err != nil {
			return fmt.Errorf("document: removed signs of document %d: %w", id, err)
		}
	}
	return nil
}

func (o *Object) decode(a table.Attributes) (err error) {
	o.Version = a.Text("e")
	o.ID, err = uuid.FromBytes(a.Bytes("o"))
	return err
}

func (f *File) decode(a table.Attributes) error {
	f.Number, f.Type, f.Name = a.Int("n"), FileType(a.Int("t")), a.Text("a")
	f.ContentType, f.Size, f.SHA256 = a.Text("k"), a.Int("z"), a.Bytes("h")
	return f.Object.decode(a)
}
