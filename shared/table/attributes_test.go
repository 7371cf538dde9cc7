package table_test

import (
	"bytes"
	"testing"

	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
)

func TestAttributes(t *testing.T) {
	h := table.Of(tabletest.New(t), 1)
	key := h.Record(kinds.Document, 1)
	item, inner := table.Attributes{}, table.Attributes{}
	item.SetText("pk", key.PK)
	item.SetText("sk", key.SK)
	item.SetText("name", "n")
	item.SetInt("small", -5)
	item.SetNumber("large", "123456789012345678901234567890123456")
	item.SetBytes("b", []byte{0, 255})
	inner.SetInt("i", 7)
	item.SetMap("m", inner)
	item.SetList("l", []table.Attributes{inner, {}})
	if err := h.Create(item).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Update(key).Add("large", table.Number("-1000000000000000000000000000000000")).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got table.Attributes
	if err := h.Get(t.Context(), key, &got); err != nil {
		t.Fatal(err)
	}
	if got.Text("name") != "n" || got.Int("small") != -5 || got.Number("small") != "-5" || !bytes.Equal(got.Bytes("b"), []byte{0, 255}) ||
		got.Number("large") != "122456789012345678901234567890123456" || got.Map("m").Int("i") != 7 ||
		len(got.List("l")) != 2 || got.List("l")[0].Int("i") != 7 {
		t.Errorf("%v", got)
	}
	if got.Text("b") != "" || got.Int("name") != 0 || got.Int("large") != 0 || got.Number("none") != "" || got.Bytes("name") != nil ||
		got.Map("name") != nil || got.List("m") != nil {
		t.Errorf("attributes of another type: %v", got)
	}
	var decoded thing
	if err := got.Decode(&decoded); err != nil || decoded.Name != "n" || decoded.SK != key.SK {
		t.Errorf("%+v, %v", decoded, err)
	}
	var wrong struct {
		Name int64 `dynamo:"name"`
	}
	if err := got.Decode(&wrong); err == nil {
		t.Error("a text was read as a number")
	}
	var nested struct {
		M table.Attributes `dynamo:"m"`
		X table.Attributes `dynamo:"x,omitempty"`
	}
	if err := got.Decode(&nested); err != nil || nested.M.Int("i") != 7 || nested.X != nil {
		t.Errorf("%+v, %v", nested, err)
	}
	back, err := dynamo.MarshalItem(nested)
	if err != nil || len(back) != 1 {
		t.Errorf("%v, %v", back, err)
	}
	var notMap struct {
		Name table.Attributes `dynamo:"name"`
	}
	if err := got.Decode(&notMap); err == nil {
		t.Error("a text was read as a map")
	}
}
