package restore

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tenantry/tenantry/infra/operator/estate"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/crosstenant"
	"github.com/tenantry/tenantry/shared/tenant"
)

// renamed is an item of the copy under the company's number here. The caller may change it, but not what is in it.
func (r *run) renamed(item table.Attributes) (table.Attributes, error) {
	if r.was == r.is && r.Users == nil {
		return clone(item), nil
	}
	to, err := renaming{r.was, r.is, r.versions, r.Users}.item(item)
	if err == nil {
		users(r.Users).rename(r.From.Pattern(item.Text("pk")), to)
	}
	return to, err
}

// renaming takes items from one number of a company to another. The number is in keys and in what the indexes go by, in the items of no
// company, in the company's own item, in events and histories of the company itself, in ids of events, and where a history tells of a
// record's company. Versions of files are those of their copies.
type renaming struct {
	was, is  tenant.ID
	versions map[string]string
	users    users
}

func (n renaming) item(item table.Attributes) (table.Attributes, error) {
	to := make(table.Attributes, len(item))
	for name, value := range item {
		is, err := n.value(value)
		if err != nil {
			return nil, fmt.Errorf("restore: %s %s: %w", item.Text("pk"), item.Text("sk"), err)
		}
		to[name] = is
	}
	key := estate.KeyOf(item)
	to.SetText("pk", n.partition(key.PK))
	to.SetText("sk", n.sort(key))
	switch {
	case key.PK == table.Prefix(n.was)+"company":
		to.SetInt("id", int64(n.is))
	case !strings.HasPrefix(key.PK, "T#") && !isMemberships(key) && item.Int("t") == int64(n.was):
		to.SetInt("t", int64(n.is))
	}
	return to, nil
}

// partition is where an item goes. What the company's own kind has is numbered by the company.
func (n renaming) partition(pk string) string {
	pk = n.text(pk)
	own := table.Prefix(n.is) + string(kinds.Company) + "#"
	if rest, ok := strings.CutSuffix(pk, "#"+table.SortID(int64(n.was))); ok && strings.HasPrefix(pk, own) {
		return rest + "#" + table.SortID(int64(n.is))
	}
	return pk
}

func (n renaming) sort(key table.Key) string {
	was, is := table.SortID(int64(n.was)), table.SortID(int64(n.is))
	kind, beside := strings.CutPrefix(key.PK, table.Prefix(n.was)+string(kinds.Company))
	switch {
	case beside && key.SK == was && (kind == "" || kind == "#gone" || kind == "#sum"):
		return is
	case key.SK == crosstenant.Invitation("", n.was).SK:
		return crosstenant.Invitation("", n.is).SK
	case strings.HasPrefix(key.SK, "sealed#"):
		return strings.Replace(key.SK, "#"+n.was.String()+"#", "#"+n.is.String()+"#", 1)
	case strings.HasPrefix(key.SK, "original#at#"):
		parts := strings.Split(key.SK, "#") // original, at, the second, the company, the document
		if parts[3] == was {
			parts[3] = is
		}
		return strings.Join(parts, "#")
	}
	return key.SK
}

// text renames a whole text.
func (n renaming) text(text string) string {
	if rest, ok := strings.CutPrefix(text, table.Prefix(n.was)); ok {
		return table.Prefix(n.is) + rest
	}
	if rest, ok := strings.CutPrefix(text, "evt_"+n.was.String()+"_"); ok {
		return "evt_" + n.is.String() + "_" + rest
	}
	if text == "company:"+n.was.String() {
		return "company:" + n.is.String()
	}
	if version, ok := n.versions[text]; ok {
		return version
	}
	return text
}

func (n renaming) value(v types.AttributeValue) (types.AttributeValue, error) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: n.text(v.Value)}, nil
	case *types.AttributeValueMemberSS:
		list := make([]string, len(v.Value))
		for i, text := range v.Value {
			list[i] = n.text(text)
		}
		return &types.AttributeValueMemberSS{Value: list}, nil
	case *types.AttributeValueMemberB:
		data, err := n.bytes(v.Value)
		return &types.AttributeValueMemberB{Value: data}, err
	case *types.AttributeValueMemberL:
		list := make([]types.AttributeValue, len(v.Value))
		for i, e := range v.Value {
			is, err := n.value(e)
			if err != nil {
				return nil, err
			}
			list[i] = is
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case *types.AttributeValueMemberM:
		to := make(table.Attributes, len(v.Value))
		for name, e := range v.Value {
			is, err := n.value(e)
			if err != nil {
				return nil, err
			}
			to[name] = is
		}
		if of := table.Attributes(v.Value); strings.HasPrefix(of.Text("n"), "company.") && of.Int("i") == int64(n.was) { // an event
			to.SetInt("i", int64(n.is))
		}
		return &types.AttributeValueMemberM{Value: to}, nil
	}
	return v, nil
}

// bytes renames what a history tells, which is JSON, zipped where it is long. Other bytes stay.
func (n renaming) bytes(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		zipped, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return data, nil //nolint:nilerr // these are other bytes
		}
		plain, err := io.ReadAll(zipped)
		if err != nil {
			return nil, err
		}
		is := n.json(plain)
		if bytes.Equal(is, plain) {
			return data, nil
		}
		var to bytes.Buffer
		w := gzip.NewWriter(&to)
		_, err = w.Write(is)
		err = errors.Join(err, w.Close())
		return to.Bytes(), err
	}
	if !bytes.HasPrefix(data, []byte("[")) && !bytes.HasPrefix(data, []byte("{")) {
		return data, nil
	}
	return n.json(data), nil
}

func (n renaming) json(data []byte) []byte {
	was, is := regexp.QuoteMeta(n.was.String()), n.is.String()
	inside := regexp.MustCompile(`("tenant":)` + was + `([,}])`)
	data = inside.ReplaceAll(data, []byte("${1}"+is+"${2}"))
	field := regexp.MustCompile(`(\{"field":"tenant","from":(?:null|[0-9]+),"to":)` + was + `(\})`)
	data = field.ReplaceAll(data, []byte("${1}"+is+"${2}"))
	from := regexp.MustCompile(`(\{"field":"tenant","from":)` + was + `(,)`)
	return n.users.json(from.ReplaceAll(data, []byte("${1}"+is+"${2}")))
}
