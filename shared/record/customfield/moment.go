package customfield

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// Zone returns the time zone of a company. It is called only if a date-time needs it.
type Zone func() (*time.Location, error)

// Settle returns extra as it is to be stored: a date-time without an offset, which is the company's local time, is written as the
// moment that it is, in UTC. All else stays as it was sent, in its order. errs names local times that the clocks of the company skip;
// Check refuses them too, in other words. Without a zone nothing is settled.
func (s Set) Settle(extra decode.JSON, zone Zone) (settled decode.JSON, errs fault.FieldErrors, err error) {
	var values map[string]json.RawMessage
	if zone == nil || len(extra) == 0 || json.Unmarshal(extra, &values) != nil {
		return extra, nil, nil //nolint:nilerr // Check says what is wrong with another value than an object
	}
	moments := map[string]string{}
	errs = fault.FieldErrors{}
	for i := range s.List {
		d := &s.List[i]
		var text string
		if d.Type != typeDatetime || json.Unmarshal(values[d.Name], &text) != nil {
			continue
		}
		wall, ok := decode.ParseLocal(text)
		if !ok {
			continue
		}
		in, err := zone()
		if err != nil {
			return nil, nil, err
		}
		at, ok := decode.Local(wall, in)
		if !ok {
			errs.Add(d.Name, say.NoSuchTime(in.String()))
			continue
		}
		moments[d.Name] = encode.Instant(at)
	}
	if len(moments) == 0 {
		return extra, errs, nil
	}
	return replaced(extra, moments), errs, nil
}

// replaced returns an object with other texts in some of its fields.
func replaced(object decode.JSON, texts map[string]string) decode.JSON {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // the brace: it is an object
	var out decode.JSON
	taken := int64(0)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return object
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return object
		}
		field, _ := name.(string)
		if text, ok := texts[field]; ok {
			end := d.InputOffset()
			out = append(append(out, object[taken:end-int64(len(raw))]...), `"`+text+`"`...)
			taken = end
		}
	}
	return append(out, object[taken:]...)
}
