package services_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/functions/history"
	"github.com/tenantry/tenantry/functions/services"
	"github.com/tenantry/tenantry/functions/settings"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

const (
	all        = "/v1/crm/services/"
	categories = "/v1/crm/categories/"
	discounts  = "/v1/crm/discounts/"
	blank      = `"disabled":null,"category":null,"discount":null,"bonus":null,"image":null,"unique_id":null,"extra":{},`
	fixed      = `"deleted":false,"deleted_at":null,"tenant":1,"tarifs":[],"created_at":"2026-03-02T09:30:00Z",`
)

// TestLife follows one service from its making to its end.
func TestLife(t *testing.T) {
	api := webtest.New(t, services.New, clients.New)
	c := api.As(webtest.Employee(1))
	made := c.Post(all, `{"name":" Oil change ","id":9,"slug":"mine","tarifs":[{"price":1}],"deleted":true,"deleted_at":"2020-01-01T00:00:00Z","tenant":1}`).
		Status(201).JSON(`{"id":1,"name":"Oil change","slug":"oil-change","type":1,"price":"0.00","published":true,`+blank+fixed+
		`"updated_at":"2026-03-02T09:30:00Z"}`).
		Header("ETag", `"1"`).Header("Location", webtest.BaseURL+all+"1/").Writes(5)
	// What is checked and whether the slug is free, the number, the transaction; the record, its entry, its counter, its slug, its history.
	made.Calls(3).Units(2, 10)

	c.Post(categories, `{"name":"Cars"}`).Status(201)
	api.As(webtest.Owner(1)).Post(discounts, `{"name":"Winter","percent":5}`).Status(201)
	api.As(webtest.Owner(1)).Post(discounts, `{"name":"Regulars","percent":5}`).Status(201)
	api.Clock.Step(90 * time.Second)
	full := `{"id":1,"name":"Oil change, 5W-30","slug":"oil-change","type":4,"price":"-7500.50","published":false,"disabled":2,"category":1,"discount":2,` +
		`"bonus":"-0.10","image":"https://example.com/a.png","unique_id":"OIL","extra":{"litres":4},` + fixed + `"updated_at":"2026-03-02T09:31:30Z"}`
	body := `{"name":"Oil change, 5W-30","type":"4","price":-7500.5,"published":"false","disabled":2,"category":"1","discount":2,"bonus":"-.1",` +
		`"image":"https://example.com/a.png","unique_id":"OIL","extra":{"litres":4}}`
	c.Put(all+"1/", body).Status(200).JSON(full).Header("ETag", `"2"`).Calls(3).Writes(2)
	c.Put(all+"1/", `{"name":"Oil change, 5W-30"}`).Status(200).JSON(full).Header("ETag", `"2"`).Writes(0)
	c.Get(all+"1/").Status(200).JSON(full).Header("ETag", `"2"`).Calls(1).Units(1, 0)
	c.Get(all).Status(200).JSON(`{"count":1,"next":null,"previous":null,"results":[`+full+`]}`).Calls(2).Units(4, 0)
	c.Put(all+"1/", `{"price":1}`).Status(400).JSON(`{"name":["This field is required."]}`)
	c.With("If-Match", `"1"`).Patch(all+"1/", `{"price":1}`).Status(412)

	c.Patch(all+"1/", `{"category":null,"discount":null,"disabled":null,"bonus":null,"image":null,"unique_id":null,"price":"-0.00","extra":null}`).Status(200).
		Field("category", "null").Field("discount", "null").Field("disabled", "null").Field("bonus", "null").Field("image", "null").
		Field("unique_id", "null").Field("price", `"0.00"`).Field("extra", "null").Field("slug", `"oil-change"`)
	c.Delete(all + "1/").Status(204).Empty().Writes(5)
	c.Get(all + "1/").Status(404)
	c.Delete(all + "1/").Status(404)
	c.Get(all).Status(200).Field("count", "0")
}

func TestRefused(t *testing.T) {
	api := webtest.New(t, services.New, clients.New)
	c, theirs := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	theirs.Post(categories, `{"name":"Theirs"}`).Status(201)
	api.As(webtest.Owner(2)).Post(discounts, `{"name":"Theirs","percent":5}`).Status(201)
	for name, test := range map[string]struct{ body, want string }{
		"no name":            {`{}`, `{"name":["This field is required."]}`},
		"a name too long":    {`{"name":"` + strings.Repeat("ж", 513) + `"}`, `{"name":["Ensure this field has no more than 512 characters."]}`},
		"no type":            {`{"name":"a","type":null}`, `{"type":["This field may not be null."]}`},
		"a type of nowhere":  {`{"name":"a","type":5}`, `{"type":["\"5\" is not a valid choice."]}`},
		"disabled how":       {`{"name":"a","disabled":3}`, `{"disabled":["\"3\" is not a valid choice."]}`},
		"no price":           {`{"name":"a","price":null}`, `{"price":["This field may not be null."]}`},
		"an empty price":     {`{"name":"a","price":""}`, `{"price":["A valid number is required."]}`},
		"three decimals":     {`{"name":"a","price":"-1.005"}`, `{"price":["Ensure that there are no more than 2 decimal places."]}`},
		"fifteen digits":     {`{"name":"a","price":"-100000000000000"}`, `{"price":["Ensure that there are no more than 14 digits before the decimal point."]}`},
		"an exponent":        {`{"name":"a","bonus":"1e2"}`, `{"bonus":["A valid number is required."]}`},
		"another company's":  {`{"name":"a","category":1,"discount":1}`, `{"category":["Invalid pk \"1\" - object does not exist."],"discount":["Invalid pk \"1\" - object does not exist."]}`},
		"of no company":      {`{"name":"a","category":7,"discount":-1}`, `{"category":["Invalid pk \"7\" - object does not exist."],"discount":["Invalid pk \"-1\" - object does not exist."]}`},
		"no picture":         {`{"name":"a","image":"javascript:alert(1)"}`, `{"image":["Enter a valid URL."]}`},
		"the wrong tenant":   {`{"name":"a","tenant":2}`, `{"tenant":["Invalid pk \"2\" - object does not exist."]}`},
		"more than 16 KB":    {`{"name":"a","extra":"` + strings.Repeat("x", 16<<10) + `"}`, `{"extra":["Ensure this field has no more than 16384 bytes."]}`},
		"of all a bit":       {`{"name":"","category":7,"price":"x"}`, `{"name":["This field may not be blank."],"category":["Invalid pk \"7\" - object does not exist."],"price":["A valid number is required."]}`},
		"a unique_id, no ID": {`{"name":"a","unique_id":"` + strings.Repeat("1", 256) + `"}`, `{"unique_id":["Ensure this field has no more than 255 characters."]}`},
	} {
		t.Run(name, func(t *testing.T) { c.In(t).Post(all, test.body).Status(400).JSON(test.want) })
	}
	c.Post(all, `{"name":"a","price":"99999999999999.99","bonus":"-99999999999999.99"}`).Status(201).
		Field("price", `"99999999999999.99"`).Field("bonus", `"-99999999999999.99"`).Field("id", "1")
	c.Patch(all+"1/", `{"category":1}`).Status(400).JSON(`{"category":["Invalid pk \"1\" - object does not exist."]}`)
	api.As(webtest.ReadOnly(1)).Post(all, `{"name":"a"}`).Status(403)
	api.As(webtest.ReadOnly(1)).Get(all+"1/").Status(200).Field("name", `"a"`)
	// Nothing of one company is seen or touched by another.
	theirs.Get(all).Status(200).Field("count", "0")
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		theirs.Do(method, all+"1/", `{"name":"b"}`).Status(404).JSON(`{"detail":"Not found."}`)
	}
}

func TestCustomFields(t *testing.T) {
	api := webtest.New(t, services.New, settings.New).Join(webtest.Manager(1))
	api.As(webtest.Manager(1)).Post("/v1/crm/settings/custom_fields_list/", `{"key":"service","name":"hours","label":"Hours","type":"integer","required":true}`).Status(201)
	c := api.As(webtest.Employee(1))
	c.Post(all, `{"name":"a"}`).Status(400).JSON(`{"extra":{"hours":["This field is required."]}}`)
	c.Post(all, `{"name":"a","extra":{"hours":"many"}}`).Status(400).JSON(`{"extra":{"hours":["A valid integer is required."]}}`)
	c.Post(all, `{"name":"a","extra":{"hours":8,"more":true}}`).Status(201).Field("extra", `{"hours":8,"more":true}`)
}

func TestList(t *testing.T) {
	api := webtest.New(t, services.New, clients.New)
	c := api.As(webtest.Employee(1))
	c.Post(categories, `{"name":"Cars"}`).Status(201)
	for _, body := range []string{
		`{"name":"Доставка","type":0,"price":300,"unique_id":"DLV-1","category":1}`,
		`{"name":"Возврат","type":2,"price":"-50.5","unique_id":"BCK-1","published":false}`,
		`{"name":"Доставка и возврат","type":3,"price":1000,"unique_id":"A number that is longer than an entry holds, one","disabled":1}`,
		`{"name":"Мойка","type":4,"price":300,"unique_id":"A number that is longer than an entry holds, two","disabled":2}`,
		`{"name":"Без типа"}`,
	} {
		c.Post(all, body).Status(201)
	}
	for query, want := range map[string]string{
		"":                            "5,4,3,2,1",
		"type=0":                      "1",
		"type__in=2,3":                "3,2",
		"category=1":                  "1",
		"category=2":                  "",
		"published=false":             "2",
		"disabled=1":                  "3",
		"disabled__in=1,2":            "4,3",
		"price=300":                   "4,1",
		"price__gte=0&price__lte=300": "5,4,1",
		"price__lte=-0.01":            "2",
		"unique_id=dlv-1":             "1",
		"unique_id=A number that is longer than an entry holds, two": "4",
		"unique_id=A number that is longer than":                     "",
		"unique_id__in=DLV-1,BCK-1":                                  "2,1",
		"ordering=price,name":                                        "2,5,1,4,3",
		"ordering=-price":                                            "3,4,1,5,2",
		"ordering=name":                                              "5,2,1,3,4",
		"ordering=type,id":                                           "1,5,2,3,4",
		"ordering=unique_id":                                         "3,4,2,1,5",
		"search=ДОСТАВКА":                                            "3,1",
		"search=возврат дост":                                        "3",
		"search=bck":                                                 "2",
		"search=holds, two":                                          "4",
		"unique_id__in=DLV-1&unique_id__in=BCK-1":                    "2,1",
		"id__in=1&id__in=&id__in=5,9":                                "5,1",
		"disabled=7&disabled=":                                       "5,4,3,2,1",
		"id__in=1,5,9":                                               "5,1",
		"type=4&price=300&search=мойка":                              "4",

		"type__isnull=true":            "",
		"type__gte=3":                  "4,3",
		"category__isnull=true":        "5,4,3,2",
		"category__gte=1":              "1",
		"category__in=1,2&type__lte=1": "1",
		"published__in=true,false":     "5,4,3,2,1",
		"published__isnull=false":      "5,4,3,2,1",
		"disabled__isnull=true":        "5,2,1",
		"disabled__isnull=0":           "4,3",
		"price__in=300,1000.00":        "4,3,1",
		"price__isnull=1":              "",
		"unique_id__gte=B":             "2,1",
		"unique_id__lte=bck-1":         "4,3,2",
		"unique_id__isnull=true":       "5",
		"unique_id__gte=a number that is longer than an entry holds, p": "4,2,1",
		"unique_id__lte=A number that is longer than an entry holds, p": "3",
		"unique_id__lte=A number that is longer":                        "",
		"ordering=-disabled,category,id":                                "1,2,5,4,3",
		"ordering=published":                                            "2,5,4,3,1",
	} {
		t.Run(query, func(t *testing.T) {
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			a := c.In(t).Get(all + "?" + values.Encode()).Status(200)
			var got []string
			for i := range a.Int("count") {
				got = append(got, fmt.Sprint(a.Value(fmt.Sprintf("results.%d.id", i))))
			}
			if strings.Join(got, ",") != want {
				t.Errorf("got %v, want %s", got, want)
			}
		})
	}
}

// An upload becomes the image of a service, in the transaction that makes the service.
func TestImage(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.New(t) }}.New(t, services.New, clients.New, documents.New, history.New)
	c, theirs := api.As(webtest.Employee(1)), api.As(webtest.Employee(2))
	own, other := filestest.Upload(t, c, "a.png", "image/png", "bytes"), filestest.Upload(t, theirs, "b.png", "image/png", "secret")
	// What is wrong is told at once, whatever finds it, and no number is given out.
	c.Post(all, `{"name":"Wash"}`).Status(201)
	c.Post(all, map[string]any{"name": "Wash", "image": other, "category": 7}).Status(400).
		JSON(`{"image":["No uploaded file has this address."],"category":["Invalid pk \"7\" - object does not exist."]}`)
	c.Post(all, map[string]any{"name": "Wash", "image": other}).Status(400).JSON(`{"image":["No uploaded file has this address."]}`)
	address := webtest.BaseURL + all + "2/image/"
	c.Post(all, map[string]any{"name": "Wash", "image": own}).Status(201).Field("image", `"`+address+`"`).Field("slug", `"wash-2"`)
	a := c.Get(all+"2/image/").Status(302).Header("Cache-Control", "private, no-store").Empty()
	if bytes, _ := filestest.Fetch(t, a.Get("Location")); bytes != "bytes" {
		t.Errorf("the image is %q", bytes)
	}
	c.Patch(all+"2/", `{"image":"`+address+`"}`).Status(200).Header("ETag", `"1"`).Writes(0)
	c.Get(all + "1/image/").Status(404)
	theirs.Get(all + "2/image/").Status(404)
	c.Get("/v1/crm/history/?object=service:2").Status(200).NotContain("X-Amz", "uploads/")
}
