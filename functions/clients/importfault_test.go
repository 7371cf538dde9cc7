package clients_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/clients"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// mortal is a process that dies at its n-th call, before it is carried out or
// after, and makes none any more until it is revived.
type mortal struct {
	dynamodbiface.DynamoDBAPI
	mu    sync.Mutex
	left  int
	after bool
	dead  bool
}

var errKilled = errors.New("killed")

// kill lets n calls through.
func (m *mortal) kill(n int, after bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left, m.after, m.dead = n, after, false
}

// revive starts the process anew. It tells whether it had died.
func (m *mortal) revive() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	died := m.dead
	m.left, m.dead = 1<<30, false
	return died
}

func fate[I, O any](ctx context.Context, m *mortal, in *I, o []options, do func(context.Context, *I, ...options) (*O, error)) (*O, error) {
	m.mu.Lock()
	m.left--
	last := m.left == 0
	dead := m.dead
	m.dead = m.dead || last
	m.mu.Unlock()
	if dead || last && !m.after {
		return nil, errKilled
	}
	out, err := do(ctx, in, o...)
	if last {
		return nil, errKilled
	}
	return out, err
}

type options = func(*dynamodb.Options)

func (m *mortal) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...options) (*dynamodb.GetItemOutput, error) {
	return fate(ctx, m, in, o, m.DynamoDBAPI.GetItem)
}

func (m *mortal) Query(ctx context.Context, in *dynamodb.QueryInput, o ...options) (*dynamodb.QueryOutput, error) {
	return fate(ctx, m, in, o, m.DynamoDBAPI.Query)
}

func (m *mortal) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...options) (*dynamodb.BatchGetItemOutput, error) {
	return fate(ctx, m, in, o, m.DynamoDBAPI.BatchGetItem)
}

func (m *mortal) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...options) (*dynamodb.UpdateItemOutput, error) {
	return fate(ctx, m, in, o, m.DynamoDBAPI.UpdateItem)
}

func (m *mortal) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...options) (*dynamodb.DeleteItemOutput, error) {
	return fate(ctx, m, in, o, m.DynamoDBAPI.DeleteItem)
}

func (m *mortal) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...options,
) (*dynamodb.TransactWriteItemsOutput, error) {
	return fate(ctx, m, in, o, m.DynamoDBAPI.TransactWriteItems)
}

// records counts the items of clients, seen or not.
func records(t *testing.T, api *webtest.API) int {
	t.Helper()
	company := table.Of(api.Env.Table, 1)
	n, err := company.Table().Get("pk", company.Records(kinds.Client)).Consistent(true).Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKilledImport: wherever an import is killed nothing of it is seen, unless
// all is; and the same import again makes its clients exactly once.
func TestKilledImport(t *testing.T) {
	const rows = 100
	body := people(iins(rows))
	for _, keyed := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			survived := false
			for call := 1; !survived; call++ {
				t.Run(fmt.Sprintf("key %t, call %d, after %t", keyed, call, after), func(t *testing.T) {
					survived = killed(t, keyed, call, after, rows, body)
				})
			}
		}
	}
}

// killed kills an import at one of its calls, and begins again. It tells whether
// the import had less calls.
func killed(t *testing.T, keyed bool, call int, after bool, rows int, body string) (survived bool) {
	process := &mortal{left: 1 << 30}
	api := webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		process.DynamoDBAPI = engine
		return process
	}}.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	if keyed {
		c = c.With("Idempotency-Key", "import")
	}
	counted := func(want int) {
		t.Helper()
		c.Get(all).Status(200).Field("count", fmt.Sprint(want)).Calls(3).Units(12, 0)
		c.Get(all+"?search=Клиент").Status(200).Field("count", fmt.Sprint(want))
		c.Get(all+"?type=0").Status(200).Field("count", fmt.Sprint(want))
	}
	process.kill(call, after)
	first := c.Post(individuals, body)
	if !process.revive() {
		first.Status(201)
		return true
	}
	begun := records(t, api) > 0
	if first.Code() == 201 { // the call that failed was one that need not succeed
		counted(rows)
		return false
	}
	committed := c.Get(all).Status(200).Int("count") > 0
	if committed {
		counted(rows)
	} else {
		counted(0)
	}
	if !again(c, keyed, begun, committed, body) {
		counted(0)
		api.Clock.Step(31 * time.Second)
		c.Post(individuals, body).Status(201)
	}
	counted(rows)
	api.Clock.Step(2 * time.Minute)
	api.Deliver()
	counted(rows)
	if n := records(t, api); n != rows {
		t.Errorf("%d clients are stored, of an import of %d", n, rows)
	}
	c.Get(methods).Field("count", "1")
	other := api.As(webtest.Employee(1))
	for _, iin := range []string{iins(rows)[0], iins(rows)[rows-1]} {
		other.Get(all+"?iin="+iin).Field("count", "1")
		other.Post(all, `{"name":"Twin","individual":{"iin":"`+iin+`"}}`).Status(400)
	}
	return false
}

// again repeats an import that was killed, and checks what it is told. It tells
// whether its clients are there now.
func again(c *webtest.Client, keyed, begun, committed bool, body string) bool {
	a := c.Post(individuals, body)
	switch {
	case committed && keyed:
		a.Status(201).Header("Idempotent-Replayed", "true")
	case committed:
		a.Writes(1).Status(400).Field("data.7", `{"iin":["This field must be unique."]}`)
	case begun && keyed:
		a.Status(409).Field("code", `"in_progress"`)
	case begun:
		a.Writes(2).Status(409).Field("code", `"import_running"`).Header("Retry-After", "30")
	default:
		a.Status(201).NoHeader("Idempotent-Replayed")
		return true
	}
	return committed
}

// TestDryRunAfterADeadImport: a dry run does not even end what must be dead.
func TestDryRunAfterADeadImport(t *testing.T) {
	process := &mortal{left: 1 << 30}
	api := webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		process.DynamoDBAPI = engine
		return process
	}}.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	body := people(iins(100))
	for call := 1; records(t, api) == 0; call++ {
		process.kill(call, true)
		c.Post(individuals, body)
		process.revive()
	}
	c.Get(all).Field("count", "0")
	dry := individuals + "?dry_run=true"
	noted := strings.Replace(body, `"name"`, `"phnoe":"1","name"`, 1)
	for path, writes := range map[string]int{dry: 0, individuals: 2} { // which tell what they leave out, as every answer does
		c.Post(path, noted).Writes(writes).Status(409).Field("code", `"import_running"`).Field("ignored", `["phnoe"]`)
	}
	c.Post(dry, body).Status(409).Field("code", `"import_running"`).Writes(0)
	api.Clock.Step(31 * time.Second)
	c.Post(dry, body).Status(200).Field("created", "100").Writes(0)
	c.Post(individuals, strings.Replace(body, "c0@example.com", "wrong", 1)).Status(400).Writes(0)
	c.Post(individuals, body).Status(201)
}

// TestImportsAtOnce: of two imports of the same person only one makes it, and
// the other learns why not.
func TestImportsAtOnce(t *testing.T) {
	api := webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(engine, tabletest.Locks(), 1)
	}}.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	numbers := iins(240)
	shared := numbers[119] // the last of the first, the first of the second
	bodies := []string{people(numbers[:120]), people(numbers[119:239])}
	for i := range bodies {
		bodies[i] = strings.ReplaceAll(bodies[i], "Клиент", fmt.Sprintf("Import%d", i))
	}
	answers := atOnce(t, c, bodies, shared)
	won := wonOf(t, c, answers)
	if won > 1 {
		t.Errorf("%d imports made the same client", won)
	}
	c.Get(all).Field("count", fmt.Sprint(10+won*120))
	c.Get(all+"?iin="+shared).Field("count", fmt.Sprint(won))
	// What has lost leaves nothing, and what it wanted is to be had.
	api.Clock.Step(2 * time.Minute)
	api.Deliver()
	for i, a := range answers {
		if a.Code() != 201 && won == 0 {
			c.Post(individuals, bodies[i]).Status(201)
			won++
		}
	}
	c.Get(all).Field("count", "130")
	c.Get(all+"?iin="+shared).Field("count", "1")
	if n := records(t, api); n != 130 {
		t.Errorf("%d clients are stored", n)
	}
}

// atOnce begins imports at the same moment, beside clients that are made one by
// one. Who looks meanwhile sees all of an import or nothing.
func atOnce(t *testing.T, c *webtest.Client, bodies []string, shared string) []*webtest.Answer {
	t.Helper()
	done := make(chan struct{})
	var lists, imports sync.WaitGroup
	answers := make([]*webtest.Answer, len(bodies))
	for i, body := range bodies {
		imports.Go(func() { answers[i] = c.Post(individuals, body) })
	}
	for range 2 {
		lists.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				count := c.Get(all).Status(200).Int("count") // of what changes at that moment it may need another look
				if count > 10 && count < 120 || count > 130 && count < 240 {
					t.Errorf("%d clients", count)
				}
				c.Get(all + "?iin=" + shared).Status(200)
			}
		})
	}
	for i := range 10 {
		imports.Go(func() { c.Post(all, fmt.Sprintf(`{"name":"Single %d"}`, i)).Status(201) })
	}
	imports.Wait()
	close(done)
	lists.Wait()
	return answers
}

// wonOf is how many of the imports made their clients. The others have made none,
// and were told why.
func wonOf(t *testing.T, c *webtest.Client, answers []*webtest.Answer) (won int) {
	t.Helper()
	for i, a := range answers {
		switch a.Code() {
		case 201:
			won++
			c.Get(fmt.Sprintf("%s?name=Import%d", all, i)).Field("count", "120")
			continue
		case 400:
			if !strings.Contains(string(a.Body()), `{"iin":["This field must be unique."]}`) {
				t.Errorf("%s", a.Body())
			}
		case 409:
			if code := a.Text("code"); code != "import_running" || a.Get("Retry-After") == "" {
				t.Errorf("%s", a.Body())
			}
		default:
			t.Errorf("status %d: %s", a.Code(), a.Body())
		}
		c.Get(fmt.Sprintf("%s?name=Import%d", all, i)).Field("count", "0")
	}
	return won
}

// TestNewMethodAtOnce: imports that need the same new attraction method at the
// same moment all happen, and make one.
func TestNewMethodAtOnce(t *testing.T) {
	api := webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
		return tabletest.Wrap(engine, tabletest.Locks(), 1)
	}}.New(t, clients.New)
	c := api.As(webtest.Employee(1))
	numbers := iins(180)
	var imports sync.WaitGroup
	for i := range 3 {
		body := people(numbers[i*60 : (i+1)*60])
		imports.Go(func() { c.Post(individuals, body).Status(201) })
	}
	imports.Wait()
	c.Get(methods).Field("count", "1").Field("results.0.name", `"Instagram"`)
	id := fmt.Sprint(c.Get(methods).Int("results.0.id"))
	page := c.Get(all+"?pageSize=1000").Field("count", "180")
	for i := range 180 {
		page.Field(fmt.Sprintf("results.%d.attraction_method", i), id)
	}
	api.Clock.Step(2 * time.Minute)
	api.Deliver()
	if n := records(t, api); n != 180 {
		t.Errorf("%d clients are stored", n)
	}
	c.Get(all).Field("count", "180")
}

// TestImportAmidFaults: answers are lost and calls throttled, and still every
// import is there whole or not at all, as its caller was told.
func TestImportAmidFaults(t *testing.T) {
	for seed := range uint64(8) {
		api := webtest.Setup{Table: func(engine dynamodbiface.DynamoDBAPI) dynamodbiface.DynamoDBAPI {
			return tabletest.Wrap(engine, tabletest.Faults{Lost: 0.15, Throttled: 0.1, Stale: 20 * time.Millisecond}, seed)
		}}.New(t, clients.New)
		c := api.As(webtest.Employee(1)).With("Idempotency-Key", "k")
		body := people(iins(100))
		made := false
		for range 20 {
			a := c.Post(individuals, body)
			if made = a.Code() == 201; made {
				break
			}
			if a.Code() != 503 && a.Code() != 409 {
				t.Fatalf("seed %d: status %d %s", seed, a.Code(), a.Body())
			}
			api.Clock.Step(31 * time.Second)
		}
		if !made {
			t.Fatalf("seed %d: never made", seed)
		}
		time.Sleep(30 * time.Millisecond) // what was stale is forgotten
		for range 20 {
			if a := c.Get(all + "?iin=" + iins(100)[50]); a.Code() == 200 {
				a.Field("count", "1")
				break
			}
		}
		for range 20 {
			if a := c.Get(all); a.Code() == 200 {
				a.Field("count", "100")
				break
			}
		}
	}
}
