package clients_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/record/audit"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// shows reads an avatar by its address in the API.
func shows(t testing.TB, c *webtest.Client, id, want string) {
	t.Helper()
	a := c.Get(all+id+"/avatar/").Status(302).Header("Cache-Control", "private, no-store").Empty()
	if bytes, _ := filestest.Fetch(t, a.Get("Location")); bytes != want {
		t.Errorf("client %s shows %q, want %q", id, bytes, want)
	}
}

const (
	noUpload = `{"avatar":["No uploaded file has this address."]}`
	ofFirst  = `"` + webtest.BaseURL + all + `1/avatar/"`
)

// An upload becomes the avatar for good, in the transaction that makes the client.
func TestAvatarIsTakenFromAnUpload(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(4))
	uri := filestest.Upload(t, c, "лицо.png", "image/png", "first")
	c.Post(all, map[string]any{"name": "Ann", "avatar": uri}).Status(201).Field("avatar", ofFirst).NotContain("uploads", "X-Amz")
	shows(t, c, "1", "first")
	c.With("Accept", "application/json").Get(all+"1/avatar/").Status(200).Field("expires_at", `"<any>"`)
	c.Get(all).Status(200).Field("results.0.avatar", ofFirst)
	// It is there once.
	page := filestest.Upload(t, c, "a.html", "text/html", "<p>")
	c.Post(all, map[string]any{"name": "Bea", "avatar": page}).Status(400).
		JSON(`{"avatar":["Upload a valid image. The file was announced as something else."]}`).Writes(0)
	c.Post(all, map[string]any{"name": "Bea", "avatar": uri}).Status(400).JSON(noUpload).Writes(0)
	// What was answered, and what was sent, mean the image that is there.
	c.Patch(all+"1/", `{"avatar":`+ofFirst+`}`).Status(200).Header("ETag", `"1"`).Writes(0)
	c.Patch(all+"1/", map[string]any{"avatar": uri}).Status(200).Header("ETag", `"1"`).Writes(0)
	shows(t, c, "1", "first")
	// Another one keeps the address.
	c.Patch(all+"1/", map[string]any{"avatar": filestest.Upload(t, c, "лицо.png", "image/png", "second")}).Status(200).
		Field("avatar", ofFirst).Header("ETag", `"2"`)
	shows(t, c, "1", "second")
	c.Patch(all+"1/", `{"avatar":"https://example.com/a.png"}`).Status(200).Field("avatar", `"https://example.com/a.png"`)
	c.Get(all + "1/avatar/").Status(404).JSON(`{"detail":"Not found."}`)
	c.Patch(all+"1/", map[string]any{"avatar": filestest.Upload(t, c, "лицо.png", "image/png", "third"), "name": "Anna"}).Status(200).
		Field("avatar", ofFirst).Field("name", `"Anna"`)
	c.Patch(all+"1/", `{"name":"Ann"}`).Status(200).Field("avatar", ofFirst)
	c.Patch(all+"1/", `{"avatar":null}`).Status(200).Field("avatar", "null")
	c.Get(all + "1/avatar/").Status(404)
	c.Get(all + "9/avatar/").Status(404)
	c.Delete(all + "1/").Status(204)
	c.Get(all + "1/avatar/").Status(404)
}

// What is no upload of the company is refused at the field, with all else that is
// wrong, and nothing of it is kept.
func TestAvatarsThatAreRefused(t *testing.T) {
	api := withFiles(t)
	mine, theirs := api.As(webtest.Owner(4)), api.As(webtest.Owner(5))
	own, other := filestest.Upload(t, mine, "лицо.png", "image/png", "own"), filestest.Upload(t, theirs, "лицо.png", "image/png", "secret")
	base := own[:strings.Index(own, "uploads/")]
	old := filestest.Upload(t, mine, "лицо.png", "image/png", "old")
	for name, uri := range map[string]string{
		"another company's":                other,
		"a file of another company":        base + "t/5/" + other[strings.LastIndex(other, "/")+1:],
		"one without bytes":                filestest.Announce(mine, "лицо.png", "image/png", 5).Text("file"),
		"anything in the bucket":           base + "x",
		"our own, by a detour":             base + "uploads/5/../4/" + own[strings.LastIndex(own, "/")+1:],
		"our own, the host in other cases": strings.Replace(other, "http://", "HTTP://", 1),
	} {
		t.Run(name, func(t *testing.T) {
			mine.In(t).Post(all, map[string]any{"name": "Ann", "avatar": uri}).Status(400).JSON(noUpload).Writes(0).NotContain("secret")
		})
	}
	mine.Post(all, map[string]any{"name": "", "avatar": other}).Status(400).Writes(0).
		JSON(`{"name":["This field may not be blank."],"avatar":["No uploaded file has this address."]}`)
	mine.Post(all, map[string]any{"name": "Ann", "avatar": own, "attraction_method": 9}).Status(400).Writes(0).
		JSON(`{"attraction_method":["Invalid pk \"9\" - object does not exist."]}`)
	mine.Post(all, map[string]any{"name": "Ann", "avatar": own}).Status(201) // what was refused before has not taken it
	api.As(webtest.Owner(5)).Get(all + "1/avatar/").Status(404).NotContain("own")
	api.As(webtest.Nobody()).Get(all + "1/avatar/").Status(401)
	api.Clock.Step(25 * time.Hour)
	mine.Post(all, map[string]any{"name": "Bea", "avatar": old}).Status(400).JSON(noUpload)
}

// Of many who want one upload at once, one gets it.
func TestAnUploadIsTakenOnce(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(4))
	uri := filestest.Upload(t, c, "лицо.png", "image/png", "one")
	codes := make([]int, 6)
	var wait sync.WaitGroup
	for i := range codes {
		wait.Go(func() { codes[i] = c.Post(all, map[string]any{"name": "Ann", "avatar": uri}).Code() })
	}
	wait.Wait()
	made := 0
	for _, code := range codes {
		switch code {
		case 201:
			made++
		case 400:
		default:
			t.Errorf("status %d", code)
		}
	}
	if made != 1 {
		t.Errorf("%d clients took it: %v", made, codes)
	}
	c.Get(all).Status(200).Field("count", "1")
}

// A history tells that the image changed, and no address of it.
func TestHistoryOfAnAvatar(t *testing.T) {
	api := withFiles(t)
	c := api.As(webtest.Employee(4))
	c.Post(all, map[string]any{"name": "Ann", "avatar": filestest.Upload(t, c, "лицо.png", "image/png", "first")}).Status(201)
	// the client, its history, the upload
	c.Patch(all+"1/", map[string]any{"avatar": filestest.Upload(t, c, "лицо.png", "image/png", "second")}).Status(200).Writes(3)
	entries, count, err := audit.Page(t.Context(), table.Of(api.Env.Table, 4), kinds.Of(kinds.Client), 1, 0, 10)
	if err != nil || count != 2 || len(entries[0].Changes) != 1 {
		t.Fatalf("%+v, %v", entries, err)
	}
	change := entries[0].Changes[0]
	from, to := string(change.From), string(change.To)
	if change.Field != "avatar" || from == to || !strings.HasPrefix(from, `"upload `) || !strings.HasPrefix(to, `"upload `) {
		t.Errorf("%+v", change)
	}
}
