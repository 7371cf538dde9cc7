package decode_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/say"
)

type row struct {
	Name decode.Optional[string] `json:"name" required:"true" maxLength:"3"`
	N    decode.Optional[int64]  `json:"n"`
}

type body struct {
	Text   decode.Optional[string]      `json:"text" maxLength:"5"`
	Blank  decode.Optional[string]      `json:"blank" blank:"true"`
	Null   decode.Optional[string]      `json:"nul" nullable:"true"`
	Both   decode.Optional[string]      `json:"both" nullable:"true" blank:"true"`
	I      decode.Optional[int64]       `json:"i" minimum:"-5" maximum:"5"`
	INull  decode.Optional[int64]       `json:"inul" nullable:"true"`
	Big    decode.Optional[int64]       `json:"big" minimum:"0" maximum:"9223372036854776000"`
	B      decode.Optional[bool]        `json:"b"`
	BNull  decode.Optional[bool]        `json:"bn" nullable:"true"`
	CI     decode.Optional[int64]       `json:"ci" enum:"0,1"`
	CS     decode.Optional[string]      `json:"cs" enum:"main,secondary"`
	CN     decode.Optional[int64]       `json:"cn" enum:"0" nullable:"true"`
	CB     decode.Optional[string]      `json:"cb" enum:"a,b" blank:"true"`
	Email  decode.Optional[string]      `json:"email" format:"email"`
	URI    decode.Optional[string]      `json:"uri" format:"uri"`
	UUID   decode.Optional[uuid.UUID]   `json:"u"`
	J      decode.Optional[decode.JSON] `json:"j"`
	JNull  decode.Optional[decode.JSON] `json:"jn" nullable:"true"`
	List   decode.Optional[[]int64]     `json:"li" minimum:"0" maximum:"9"`
	Words  decode.Optional[[]string]    `json:"words" maxLength:"3"`
	Rows   decode.Optional[[]row]       `json:"rows"`
	Row    decode.Optional[row]         `json:"row"`
	Tel    decode.Optional[string]      `json:"tel" format:"phone" maxLength:"20"`
	IIN    decode.Optional[string]      `json:"iin" format:"iin" nullable:"true"`
	BIN    decode.Optional[string]      `json:"bin" format:"bin" blank:"true"`
	IBAN   decode.Optional[string]      `json:"iban" format:"iban"`
	BIK    decode.Optional[string]      `json:"bik" format:"bik"`
	Tels   decode.Optional[[]string]    `json:"tels" format:"phone"`
	Digits decode.Optional[string]      `json:"rx" pattern:"[0-9]+"`
	Phone  decode.Optional[string]      `json:"phone" pattern:"a|b" patternMessage:"invalid_phone"`
	File   decode.Optional[decode.File] `json:"file" nullable:"true"`

	Price  decode.Optional[money.Amount]   `json:"price" minimum:"0" maximum:"100"`
	Sum    decode.Optional[money.Amount]   `json:"sum" nullable:"true"`
	Sums   decode.Optional[[]money.Amount] `json:"sums"`
	Day    decode.Optional[decode.Date]    `json:"day"`
	Days   decode.Optional[[]decode.Date]  `json:"days" nullable:"true"`
	Person decode.Optional[person]         `json:"person" nullable:"true"`
}

// person is an object within an object.
type person struct {
	Born decode.Optional[decode.Date] `json:"born" nullable:"true"`
	Home decode.Optional[row]         `json:"home" required:"true" nullable:"true"`
}

// values are the fields that were sent, as they were understood.
func values(v reflect.Value) map[string]any {
	m := map[string]any{}
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.Field(0).Bool() {
			continue
		}
		name := v.Type().Field(i).Tag.Get("json")
		switch value := f.Field(2); {
		case f.Field(1).Bool():
			m[name] = nil
		case value.Type() == reflect.TypeFor[row](), value.Type() == reflect.TypeFor[person]():
			m[name] = values(value)
		case value.Type() == reflect.TypeFor[[]row]():
			list := []any{}
			for i := range value.Len() {
				list = append(list, values(value.Index(i)))
			}
			m[name] = list
		default:
			m[name] = value.Interface()
		}
	}
	return m
}

// read gives the outcome of a body as JSON: what it holds, or the error.
func read(contentType string, data []byte, partial bool) string {
	var dst body
	tree, err := decode.Parse(contentType, data, []string{decode.TypeJSON, decode.TypeForm, decode.TypeMultipart})
	if err == nil {
		err = decode.Struct(tree, &dst, partial)
	}
	out := any(values(reflect.ValueOf(dst)))
	if err != nil {
		f, ok := fault.As(err)
		if !ok {
			return "no fault: " + err.Error()
		}
		if out = f.Fields; f.Fields == nil {
			out = string(f.Code) + ": " + f.Detail.Error()
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(out)
	return strings.TrimSpace(string(say.Spoken(b.Bytes(), say.English, nil)))
}

// What follows was measured on DRF 3.14 unless a line says otherwise.
func TestJSON(t *testing.T) {
	const url = "Enter a valid URL."
	long := strings.Repeat("я", 300)
	for _, c := range []struct{ in, want string }{
		{``, `{}`},
		{`null`, `{"non_field_errors":["No data provided"]}`},
		{`[]`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
		{`"x"`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got str."]}`},
		{`5`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}`},
		{`123456789012345678901234567890`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}`},
		{`5.5`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got float."]}`},
		{`true`, `{"non_field_errors":["Invalid data. Expected a dictionary, but got bool."]}`},
		{`{"unknown":1,"id":5}`, `{}`},

		{`{"text":" a "}`, `{"text":"a"}`},
		{`{"text":5}`, `{"text":"5"}`},
		{`{"text":5.5}`, `{"text":"5.5"}`},
		{`{"text":true}`, `{"text":["Not a valid string."]}`},
		{`{"text":[]}`, `{"text":["Not a valid string."]}`},
		{`{"text":{}}`, `{"text":["Not a valid string."]}`},
		{`{"text":null}`, `{"text":["This field may not be null."]}`},
		{`{"text":""}`, `{"text":["This field may not be blank."]}`},
		{`{"text":" \u00a0\t"}`, `{"text":["This field may not be blank."]}`},
		{`{"text":"абвгд"}`, `{"text":"абвгд"}`},
		{`{"text":"абвгде"}`, `{"text":["Ensure this field has no more than 5 characters."]}`},
		{`{"text":"   абвгд   "}`, `{"text":"абвгд"}`},
		{`{"text":"\u0000"}`, `{"text":["Null characters are not allowed."]}`},
		{`{"j":{"a":["\u0000required"]}}`, `{"j":["Null characters are not allowed."]}`},
		{`{"j":{"\u0000required":1}}`, `{"j":["Null characters are not allowed."]}`},
		{`{"j":{"a\u0000":"b\u0000"}}`, `{"j":{"a\u0000":"b\u0000"}}`},
		{`{"j":"\\\\u0000\\u0000"}`, `{"j":"\\\\u0000\\u0000"}`},
		{`{"text":"\ud83d\ude00"}`, `{"text":"😀"}`},
		{`{"blank":"  "}`, `{"blank":""}`},
		{`{"nul":""}`, `{"nul":["This field may not be blank."]}`},
		{`{"nul":null}`, `{"nul":null}`},
		{`{"both":""}`, `{"both":""}`},
		{`{"text":1,"text":2}`, `{"text":"2"}`},

		{`{"i":"5"}`, `{"i":5}`},
		{`{"i":" 5 "}`, `{"i":5}`},
		{`{"i":"+5"}`, `{"i":5}`},
		{`{"i":5.0}`, `{"i":5}`},
		{`{"i":"5.00"}`, `{"i":5}`},
		{`{"i":"5."}`, `{"i":5}`},
		{`{"i":-0}`, `{"i":0}`},
		{`{"i":5.5}`, `{"i":["A valid integer is required."]}`},
		{`{"i":1e0}`, `{"i":1}`},
		{`{"i":50e-1}`, `{"i":5}`},
		{`{"i":"1e0"}`, `{"i":["A valid integer is required."]}`},
		{`{"i":true}`, `{"i":["A valid integer is required."]}`},
		{`{"i":""}`, `{"i":["A valid integer is required."]}`},
		{`{"i":"x"}`, `{"i":["A valid integer is required."]}`},
		{`{"i":[]}`, `{"i":["A valid integer is required."]}`},
		{`{"i":"٥"}`, `{"i":["A valid integer is required."]}`}, // ours: Python takes any digits
		{`{"i":6}`, `{"i":["Ensure this value is less than or equal to 5."]}`},
		{`{"i":-6}`, `{"i":["Ensure this value is greater than or equal to -5."]}`},
		{`{"i":null}`, `{"i":["This field may not be null."]}`},
		{`{"inul":""}`, `{"inul":["A valid integer is required."]}`},
		{`{"inul":null}`, `{"inul":null}`},
		{`{"i":"` + strings.Repeat("5", 1001) + `"}`, `{"i":["String value too large."]}`},
		{`{"big":9223372036854775807}`, `{"big":9223372036854775807}`},
		{`{"big":9223372036854775808}`, `{"big":["Ensure this value is less than or equal to 9223372036854775807."]}`}, // ours
		{`{"big":"9223372036854776000"}`, `{"big":["Ensure this value is less than or equal to 9223372036854775807."]}`},
		{`{"inul":-9223372036854775809}`, `{"inul":["Ensure this value is greater than or equal to -9223372036854775808."]}`},
		{`{"i":99999999999999999999}`, `{"i":["Ensure this value is less than or equal to 5."]}`},
		{`{"i":-99999999999999999999}`, `{"i":["Ensure this value is greater than or equal to -5."]}`},
		{`{"big":1e15}`, `{"big":1000000000000000}`},
		{`{"big":1e16}`, `{"big":["A valid integer is required."]}`},
		{`{"big":1e-7}`, `{"big":["A valid integer is required."]}`},

		{`{"b":true}`, `{"b":true}`},
		{`{"b":"TRUE"}`, `{"b":true}`},
		{`{"b":1}`, `{"b":true}`},
		{`{"b":1.0}`, `{"b":true}`},
		{`{"b":"on"}`, `{"b":true}`},
		{`{"b":"y"}`, `{"b":true}`},
		{`{"b":"0"}`, `{"b":false}`},
		{`{"b":0}`, `{"b":false}`},
		{`{"b":"off"}`, `{"b":false}`},
		{`{"b":"1.0"}`, `{"b":["Must be a valid boolean."]}`},
		{`{"b":2}`, `{"b":["Must be a valid boolean."]}`},
		{`{"b":""}`, `{"b":["Must be a valid boolean."]}`},
		{`{"b":"null"}`, `{"b":["Must be a valid boolean."]}`},
		{`{"b":["true"]}`, `{"b":["Must be a valid boolean."]}`},
		{`{"b":null}`, `{"b":["This field may not be null."]}`},
		{`{"bn":""}`, `{"bn":null}`},
		{`{"bn":"null"}`, `{"bn":null}`},

		{`{"ci":1}`, `{"ci":1}`},
		{`{"ci":"1"}`, `{"ci":1}`},
		{`{"ci":" 1 "}`, `{"ci":["\" 1 \" is not a valid choice."]}`},
		{`{"ci":1.0}`, `{"ci":["\"1.0\" is not a valid choice."]}`},
		{`{"ci":7}`, `{"ci":["\"7\" is not a valid choice."]}`},
		{`{"ci":99999999999999999999}`, `{"ci":["\"99999999999999999999\" is not a valid choice."]}`},
		{`{"ci":true}`, `{"ci":["\"True\" is not a valid choice."]}`},
		{`{"ci":""}`, `{"ci":["\"\" is not a valid choice."]}`},
		{`{"ci":[]}`, `{"ci":["\"[]\" is not a valid choice."]}`},
		{`{"ci":null}`, `{"ci":["This field may not be null."]}`},
		{`{"cn":null}`, `{"cn":null}`},
		{`{"cs":"main"}`, `{"cs":"main"}`},
		{`{"cs":"Main"}`, `{"cs":["\"Main\" is not a valid choice."]}`},
		{`{"cs":""}`, `{"cs":["\"\" is not a valid choice."]}`},
		{`{"cs":5}`, `{"cs":["\"5\" is not a valid choice."]}`},
		{`{"cb":""}`, `{"cb":""}`},
		// ours: an error repeats no more than a part of what was sent
		{`{"cs":"` + long + `"}`, `{"cs":["\"` + long[:200] + `…\" is not a valid choice."]}`},

		{`{"email":" A@b.kz "}`, `{"email":"A@b.kz"}`},
		{`{"email":"a.b+c@xn--p1ai.kz"}`, `{"email":"a.b+c@xn--p1ai.kz"}`},
		{`{"email":"a@пр.рф"}`, `{"email":["Enter a valid email address."]}`}, // can't be sent to as it stands
		{`{"email":"a@xn--e1ah.xn--p1ai"}`, `{"email":"a@xn--e1ah.xn--p1ai"}`},
		{`{"email":"x"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"@b.kz"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"a@b"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"a@-b.kz"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"a@b.kz-"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"a b@c.kz"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"A <a@b.kz>"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"a@b.kz\nBcc: c@d.kz"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":"п@b.kz"}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":5}`, `{"email":["Enter a valid email address."]}`},
		{`{"email":""}`, `{"email":["This field may not be blank."]}`},
		{`{"email":"` + strings.Repeat("a", 65) + `@b.kz"}`, `{"email":["Enter a valid email address."]}`},

		{`{"tel":" 8 (701) 123-45-67"}`, `{"tel":"+77011234567"}`},
		{`{"tel":7011234567}`, `{"tel":"+77011234567"}`},
		{`{"tel":"12"}`, `{"tel":["` + say.InvalidPhone.Error() + `"]}`},
		{`{"tel":"8 (701) 123-45-67    x"}`, `{"tel":["Ensure this field has no more than 20 characters."]}`},
		{`{"tels":["7011234567","12"]}`, `{"tels":{"1":["` + say.InvalidPhone.Error() + `"]}}`},
		{`{"tels":["7011234567"]}`, `{"tels":["+77011234567"]}`},
		{`{"iin":"850515 300016"}`, `{"iin":"850515300016"}`},
		{`{"iin":850515300017}`, `{"iin":["` + say.InvalidIIN.Error() + `"]}`},
		{`{"iin":null}`, `{"iin":null}`},
		{`{"iin":""}`, `{"iin":["This field may not be blank."]}`},
		{`{"bin":"140340010302"}`, `{"bin":"140340010302"}`},
		{`{"bin":""}`, `{"bin":""}`},
		{`{"bin":"140340010303"}`, `{"bin":["` + say.InvalidBIN.Error() + `"]}`},
		{`{"iban":"kz86 125k zt50 0410 0100"}`, `{"iban":"KZ86125KZT5004100100"}`},
		{`{"iban":"KZ00"}`, `{"iban":["` + say.InvalidIBAN.Error() + `"]}`},
		{`{"bik":"kcjbkzkx"}`, `{"bik":"KCJBKZKX"}`},
		{`{"bik":"x"}`, `{"bik":["` + say.InvalidBIK.Error() + `"]}`},

		{`{"uri":"https://a.kz/b?c"}`, `{"uri":"https://a.kz/b?c"}`},
		{`{"uri":"x"}`, `{"uri":["` + url + `"]}`},
		{`{"uri":"javascript:alert(1)"}`, `{"uri":["` + url + `"]}`},
		{`{"uri":"http://"}`, `{"uri":["` + url + `"]}`},
		{`{"uri":"http://a b/"}`, `{"uri":["` + url + `"]}`},
		{`{"u":"11111111-1111-4111-8111-111111111111"}`, `{"u":"11111111-1111-4111-8111-111111111111"}`},
		{`{"u":"11111111111141118111111111111111"}`, `{"u":"11111111-1111-4111-8111-111111111111"}`},
		{`{"u":"x11111111-1111-4111-8111-111111111111x"}`, `{"u":["Must be a valid UUID."]}`},
		{`{"u":"x"}`, `{"u":["Must be a valid UUID."]}`},
		{`{"u":[]}`, `{"u":["Must be a valid UUID."]}`},

		{`{"li":[1,"2",3.0]}`, `{"li":[1,2,3]}`},
		{`{"li":[]}`, `{"li":[]}`},
		{`{"li":5}`, `{"li":["Expected a list of items but got type \"int\"."]}`},
		{`{"li":"5"}`, `{"li":["Expected a list of items but got type \"str\"."]}`},
		{`{"li":{}}`, `{"li":["Expected a list of items but got type \"dict\"."]}`},
		{`{"li":["x",1,null,10]}`, `{"li":{"0":["A valid integer is required."],"2":["This field may not be null."],"3":["Ensure this value is less than or equal to 9."]}}`},
		{`{"words":["abc","abcd"]}`, `{"words":{"1":["Ensure this field has no more than 3 characters."]}}`},
		{`{"rows":[{"name":"a","x":1},{"name":"b","n":"7"}]}`, `{"rows":[{"name":"a"},{"n":7,"name":"b"}]}`},
		{`{"rows":[{},{"name":"a"}]}`, `{"rows":[{"name":["This field is required."]},{}]}`},
		{`{"rows":[1,{"name":"abcd"},{"name":"a"}]}`, `{"rows":[{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]},{"name":["Ensure this field has no more than 3 characters."]},{}]}`},
		{`{"rows":[null]}`, `{"rows":[{"non_field_errors":["This field may not be null."]}]}`}, // ours: a row's errors are always an object
		{`{"rows":{}}`, `{"rows":{"non_field_errors":["Expected a list of items but got type \"dict\"."]}}`},
		{`{"rows":null}`, `{"rows":["This field may not be null."]}`},
		{`{"row":{"name":"a"}}`, `{"row":{"name":"a"}}`},
		{`{"row":[]}`, `{"row":{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}}`},
		{`{"row":{"n":"x"}}`, `{"row":{"n":["A valid integer is required."],"name":["This field is required."]}}`},
		{`{"row":null}`, `{"row":["This field may not be null."]}`},

		{`{"j":{"b":[1.50,1e-7,"<&>"],"a":null}}`, `{"j":{"a":null,"b":[1.50,1e-7,"<&>"]}}`},
		{`{"j":null}`, `{"j":["This field may not be null."]}`},
		{`{"jn":null}`, `{"jn":null}`},
		{`{"rx":"12"}`, `{"rx":"12"}`},
		{`{"rx":"12a"}`, `{"rx":["This value does not match the required pattern."]}`},
		{`{"phone":"ab"}`, `{"phone":["Enter a valid phone number, such as +77011234567."]}`},
		{`{"file":"https://a.kz/f"}`, `{"file":{"URI":"https://a.kz/f","Name":"","ContentType":"","Data":null}}`},
		{`{"file":null}`, `{"file":null}`},
		{`{"file":"f"}`, `{"file":["` + url + `"]}`},
		{`{"file":5}`, `{"file":["Not a valid string."]}`},
		{`{"price":5}`, `{"price":"5.00"}`},
		{`{"price":5.5}`, `{"price":"5.50"}`},
		{`{"price":" 5.10 "}`, `{"price":"5.10"}`},
		{`{"price":"100.00"}`, `{"price":"100.00"}`},
		{`{"price":-0}`, `{"price":"0.00"}`},
		{`{"price":"100.01"}`, `{"price":["Ensure this value is less than or equal to 100."]}`},
		{`{"price":-0.01}`, `{"price":["Ensure this value is greater than or equal to 0."]}`},
		{`{"price":null}`, `{"price":["This field may not be null."]}`},
		{`{"sum":null}`, `{"sum":null}`},
		{`{"sum":"-99999999999999.99"}`, `{"sum":"-99999999999999.99"}`},
		{`{"sum":"1.234"}`, `{"sum":["Ensure that there are no more than 2 decimal places."]}`},
		{`{"sum":1.500}`, `{"sum":["Ensure that there are no more than 2 decimal places."]}`},
		{`{"sum":"123456789012345"}`, `{"sum":["Ensure that there are no more than 14 digits before the decimal point."]}`},
		{`{"sum":""}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":"."}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":"x"}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":true}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":[]}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":{}}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":"NaN"}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":"Infinity"}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":1e2}`, `{"sum":["A valid number is required."]}`}, // ours: no exponents
		{`{"sum":1e999999999}`, `{"sum":["A valid number is required."]}`},
		{`{"sum":"` + strings.Repeat("5", 1001) + `"}`, `{"sum":["String value too large."]}`},
		{`{"sums":["1",2.5]}`, `{"sums":["1.00","2.50"]}`},
		{`{"sums":["1","x",null]}`, `{"sums":{"1":["A valid number is required."],"2":["This field may not be null."]}}`},

		{`{"day":"2024-02-29"}`, `{"day":"2024-02-29"}`},
		{`{"day":"2023-02-29"}`, `{"day":["` + say.InvalidDate.Error() + `"]}`},
		{`{"day":"2024-2-9"}`, `{"day":["` + say.InvalidDate.Error() + `"]}`}, // ours: strictly
		{`{"day":"2024-02-29T00:00:00Z"}`, `{"day":["` + say.InvalidDate.Error() + `"]}`},
		{`{"day":""}`, `{"day":["` + say.InvalidDate.Error() + `"]}`},
		{`{"day":20240229}`, `{"day":["` + say.InvalidDate.Error() + `"]}`},
		{`{"day":[]}`, `{"day":["` + say.InvalidDate.Error() + `"]}`},
		{`{"day":null}`, `{"day":["This field may not be null."]}`},
		{`{"days":["2024-02-29","x"]}`, `{"days":{"1":["` + say.InvalidDate.Error() + `"]}}`},
		{`{"days":null}`, `{"days":null}`},

		{`{"person":null}`, `{"person":null}`},
		{`{"person":{"born":null,"home":null}}`, `{"person":{"born":null,"home":null}}`},
		{`{"person":{"home":{"name":"a"}}}`, `{"person":{"home":{"name":"a"}}}`},
		{`{"person":{"born":"x","home":{}}}`, `{"person":{"born":["` + say.InvalidDate.Error() + `"],"home":{"name":["This field is required."]}}}`},
		{`{"person":{}}`, `{"person":{"home":["This field is required."]}}`},
		{`{"person":"x"}`, `{"person":{"non_field_errors":["Invalid data. Expected a dictionary, but got str."]}}`},

		{`{"text":"","i":"x","b":3}`, `{"b":["Must be a valid boolean."],"i":["A valid integer is required."],"text":["This field may not be blank."]}`},
	} {
		if got := read("application/json", []byte(c.in), false); got != c.want {
			t.Errorf("%.200s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestPartial(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, `{}`},
		{`{"row":{}}`, `{"row":{}}`},
		{`{"row":{"name":null}}`, `{"row":{"name":["This field may not be null."]}}`},
		{`{"person":{}}`, `{"person":{}}`},
		{`{"person":null}`, `{"person":null}`},
		{`{"person":{"home":{"n":5}}}`, `{"person":{"home":{"n":5}}}`},
		{`{"person":{"home":{"n":"x"}}}`, `{"person":{"home":{"n":["A valid integer is required."]}}}`},
		{`{"rows":[{}]}`, `{"rows":[{"name":["This field is required."]}]}`}, // ours: a list replaces the old one
	} {
		if got := read("application/json", []byte(c.in), true); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestMalformed(t *testing.T) {
	deep := func(n int) string { return `{"j":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, c := range []struct{ name, in string }{
		{"cut", `{"text"`},
		{"only spaces", ` `},
		{"two documents", `{"text":1}{}`},
		{"a tail", `{} x`},
		{"no quotes", `{a:1}`},
		{"single quotes", `{'a':1}`},
		{"NaN", `{"j":NaN}`},
		{"trailing comma", `{"i":1,}`},
		{"leading zero", `{"i":01}`},
		{"byte order mark", "\xef\xbb\xbf{}"},
		{"not UTF-8", "{\"text\":\"\xff\"}"},
		{"not UTF-8 in a key", "{\"\xc3\x28\":1}"},
		{"overlong", "{\"text\":\"\xc0\x80\"}"},
		{"lone high surrogate", `{"text":"\ud800"}`},
		{"lone low surrogate", `{"text":"\udc00"}`},
		{"high before something else", `{"text":"\ud800\n1234"}`},
		{"two high", `{"text":"\ud800\ud800"}`},
		{"surrogate in a key", `{"\ud800":1}`},
		{"surrogate at the end", `{"text":"\ud800`},
		{"control character", "{\"text\":\"a\nb\"}"},
		{"bad escape", `{"text":"\u12"}`},
		{"too deep", deep(64)},
		{"far too deep", strings.Repeat("[", 1<<20)},
		{"objects too deep", strings.Repeat(`{"a":`, 1<<18)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode.Parse("application/json", []byte(c.in), []string{decode.TypeJSON})
			f, ok := fault.As(err)
			if !ok || f.Code != fault.Malformed || !strings.HasPrefix(f.Detail.Error(), "JSON parse error - ") || len(f.Detail) > 200 {
				t.Errorf("got %v", err)
			}
		})
	}
	if got := read("application/json", []byte(deep(63)), false); !strings.HasPrefix(got, `{"j":[[`) {
		t.Errorf("63 levels in a field: %.200s", got)
	}
	if got := read("application/json", []byte(`{"text":"[[[{"}`), false); got != `{"text":"[[[{"}` {
		t.Errorf("brackets in a text: %s", got)
	}
	for _, in := range []string{"{\"text\":\"\uFFFD\"}", `{"text":"\ufffd"}`} { // what was taken can be sent back
		if got := read("application/json", []byte(in), false); got != "{\"text\":\"\uFFFD\"}" {
			t.Errorf("%s: %s", in, got)
		}
	}
}
