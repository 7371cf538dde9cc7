package documents_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/documents"
	"github.com/tenantry/tenantry/infra/presstest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/files/filestest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// TestTwoCompanies: neither sees, changes or finds out about the other's.
func TestTwoCompanies(t *testing.T) {
	api := newAPI(t)
	mine, theirs := api.As(webtest.Owner(1)), api.As(webtest.Owner(2))
	mine.Post(all, `{"name":"mine"}`).Status(201).Field("id", "1")
	for range 3 {
		theirs.Post(all, `{"name":"theirs","content":"<p>their secret</p>"}`).Status(201)
	}
	missing := `{"detail":"Not found."}`
	for _, id := range []string{"2", "3", "4"} { // theirs, theirs, nobody's
		path := all + id + "/"
		mine.Get(path).Status(404).JSON(missing)
		mine.Put(path, `{"name":"x"}`).Status(404).JSON(missing)
		mine.Patch(path, `{"regenerate":true}`).Status(404).JSON(missing)
		mine.Delete(path).Status(404).JSON(missing)
		mine.Get(path + "documents/" + id + "00001/").Status(404).JSON(missing)
		mine.Post(all, `{"content_type":"Document","object_id":`+id+`}`).Status(400).
			JSON(`{"object_id":["Invalid pk \"` + id + `\" - object does not exist."]}`)
	}
	// The numbers that both have are each company's own.
	mine.Get(all + "1/documents/100001/").Status(404).JSON(missing)
	mine.Delete(all + "1/").Status(204)
	theirs.Get(all+"1/").Status(200).Field("name", `"theirs"`)
	mine.Get(all).Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	mine.Get(all + "?search=theirs").Status(200).JSON(`{"count":0,"next":null,"previous":null,"results":[]}`)
	theirs.Get(all+"?search=theirs").Status(200).Field("count", "3").NotContain("mine")
	mine.With("X-Tenant-Id", "2").Get(all).Status(403).JSON(`{"detail":"You do not have permission to perform this action."}`)
	for _, c := range []*webtest.Client{api.As(webtest.Nobody()), api.As(webtest.BadToken())} {
		for _, path := range []string{all, all + "1/", all + "1/documents/100001/"} {
			c.Get(path).Status(401).NotContain("theirs")
		}
	}
	api.As(webtest.SignedIn(9)).Get(all).Status(403)
}

// TestParallelChanges: none of the changes of one document is lost, and each
// answer is one that was true.
func TestParallelChanges(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	c.Post(all, `{"name":"0"}`).Status(201)
	const writers = 6
	var done sync.WaitGroup
	answers := make([]*webtest.Answer, writers)
	for i := range writers {
		done.Go(func() { answers[i] = c.Patch(all+"1/", fmt.Sprintf(`{"name":"%d"}`, i+1)) })
	}
	done.Wait()
	tags, names := map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		switch a.Code() {
		case 200:
			a.Writes(2)
			tags[a.Get("ETag")], names[a.Text("name")] = true, true
		case 409:
			a.Status(409).Field("code", `"revision"`)
			t.Log("a change was given up")
		default:
			t.Errorf("%d %s", a.Code(), a.Body())
		}
	}
	last := c.Get(all + "1/").Status(200)
	if len(tags) < writers/2 || len(tags) != len(names) || last.Get("ETag") != fmt.Sprintf(`"%d"`, len(tags)+1) ||
		!names[last.Text("name")] {
		t.Errorf("%d changes, %d names, now %s %s", len(tags), len(names), last.Get("ETag"), last.Body())
	}
	// With If-Match exactly one wins.
	won := 0
	tag := last.Get("ETag")
	for i := range writers {
		done.Go(func() { answers[i] = c.With("If-Match", tag).Patch(all+"1/", fmt.Sprintf(`{"name":"w%d"}`, i)) })
	}
	done.Wait()
	for _, a := range answers {
		if a.Code() == 200 {
			won++
		} else {
			a.Status(412)
		}
	}
	if won != 1 {
		t.Errorf("%d winners", won)
	}
}

// TestDeleteAgainstChange: a change never brings a deleted document back.
func TestDeleteAgainstChange(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	for i := range 8 {
		path := fmt.Sprintf("%s%d/", all, i+1)
		c.Post(all, `{"name":"a"}`).Status(201)
		var done sync.WaitGroup
		var patched, deleted [2]*webtest.Answer
		for j := range 2 {
			done.Go(func() { patched[j] = c.Patch(path, fmt.Sprintf(`{"name":"b%d"}`, j)) })
			done.Go(func() { deleted[j] = c.Delete(path) })
		}
		done.Wait()
		for _, a := range patched {
			if a.Code() != 200 {
				a.Status(404)
			}
		}
		if a, b := deleted[0].Code(), deleted[1].Code(); a+b != 204+404 {
			t.Errorf("deleted with %d and %d", a, b)
		}
		c.Get(path).Status(404)
		c.Get(all).Status(200).Field("count", "0")
		c.Get(all+"?search=b").Status(200).Field("count", "0")
	}
}

func TestParallelCreates(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	var done sync.WaitGroup
	for range 16 {
		done.Go(func() { c.Post(all, `{"name":"a"}`).Status(201).Writes(4) })
	}
	done.Wait()
	c.Get(all+"?pageSize=16").Status(200).Field("count", "16").Field("next", "null")
}

// losing loses the answers of writes that were carried out.
type losing struct {
	dynamodbiface.DynamoDBAPI
	mu   sync.Mutex
	lose int
}

func (l *losing) lost(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || l.lose == 0 {
		return err
	}
	l.lose--
	return &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by the test")}
}

func (l *losing) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	out, err := l.DynamoDBAPI.PutItem(ctx, in, o...)
	return out, l.lost(err)
}

func (l *losing) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	out, err := l.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
	return out, l.lost(err)
}

// GetItem fails where a rule would be decided on a stale read.
func (l *losing) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		return nil, errors.New("a read that may be stale")
	}
	return l.DynamoDBAPI.GetItem(ctx, in, o...)
}

// TestLostAnswers: a caller gets the right answer although the engine's was
// lost, and nothing happens twice.
func TestLostAnswers(t *testing.T) {
	engine := &losing{}
	api := webtest.Setup{
		Change: presstest.Pressing(t),
		Table: func(next dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			engine.DynamoDBAPI = next
			return engine
		},
	}.New(t, documents.New)
	c := api.As(webtest.Owner(1))
	lose := func() { engine.mu.Lock(); engine.lose = 1; engine.mu.Unlock() }
	lose()
	c.Post(all, `{"name":"a"}`).Status(201).Field("id", "1")
	lose()
	c.With("If-Match", `"1"`).Patch(all+"1/", `{"name":"b"}`).Status(200).Field("name", `"b"`).Header("ETag", `"2"`)
	c.With("If-Match", `"1"`).Patch(all+"1/", `{"name":"x"}`).Status(412)
	lose()
	c.Post(all, `{"name":"c","content_type":"Document","object_id":1}`).Status(201).Field("id", "2")
	lose()
	c.Patch(all+"2/", `{"content_type":null,"object_id":null,"content":"<p>a</p>"}`).Status(200).Field("files.0.id", "200001")
	lose()
	c.Post(all+"uploads/", `{"name":"a","content_type":"a/b","size":1}`).Status(201)
	c.Get(all).Status(200).Field("count", "2").Field("results.1.name", `"b"`)
	lose()
	c.Delete(all + "1/").Status(204)
	c.Get(all).Status(200).Field("count", "1")
	if engine.lose != 0 {
		t.Error("an answer was not lost")
	}
}

// TestBucketAway: without the bucket nothing is written and the caller may try
// again; what needs no bytes works.
func TestBucketAway(t *testing.T) {
	api := webtest.Setup{Change: func(e *app.Env) { e.Files = filestest.Away() }}.New(t, documents.New)
	c := api.As(webtest.Owner(1))
	c.Post(all, `{"name":"a","content":"<p>a</p>"}`).Status(503).JSON(`{"detail":"Service temporarily unavailable."}`).
		Header("Retry-After", "1")
	c.Post(all, webtest.Multipart(map[string]any{"source": 1, "file": webtest.File{Name: "a", Data: "a"}})).Status(503)
	c.Post(all, `{"name":"a"}`).Status(201)
	c.Patch(all+"1/", `{"content":"<p>a</p>"}`).Status(503)
	c.Get(all+"1/").Status(200).Field("files", "[]").Header("ETag", `"1"`)
}

// TestHostileNames: whatever a document is called, it is one JSON text and one
// safe header.
func TestHostileNames(t *testing.T) {
	api := newAPI(t)
	c := api.As(webtest.Owner(1))
	for _, name := range []string{
		"a\r\nSet-Cookie: x=1", `"; filename="evil.exe`, "../../etc/passwd", "</script><script>evil()</script>", "\u202egpj.exe",
		"a\u2028\u2029b", "😀", "%0d%0aX-Evil: 1", strings.Repeat("ұ", 512), "con", "a\x7fb\x01",
	} {
		made := c.Post(all, map[string]any{"name": name, "content": "a"}).Status(201)
		if got := made.Text("name"); got != name {
			t.Errorf("%q became %q", name, got)
		}
		body, header := served(t, c, made.Text("files.0.file"))
		disposition := header.Get("Content-Disposition")
		if presstest.PageOf(t, body).HTML != "a" || header.Get("Set-Cookie") != "" || header.Get("X-Evil") != "" ||
			!strings.HasPrefix(disposition, "attachment; filename=") ||
			strings.ContainsAny(disposition, "\r\n/\\") || len(disposition) > 1000 {
			t.Errorf("%q is served with %v", name, header)
		}
		if got := ids(c.Get(all + "?pageSize=1").Status(200)); got == "" {
			t.Errorf("%q is not listed", name)
		}
	}
}
