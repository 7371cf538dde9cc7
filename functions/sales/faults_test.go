package sales_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/functions/sales/lead"
	"github.com/tenantry/tenantry/infra/local/engine/enginetest"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/table"
	"github.com/tenantry/tenantry/shared/table/tabletest"
	"github.com/tenantry/tenantry/shared/web/webtest"
)

// newFaulty is newAPI, and a caller whose requests meet faults.
func newFaulty(t *testing.T, faults tabletest.Faults) (api *webtest.API, sound, faulty *webtest.Client) {
	t.Helper()
	world, name := tabletest.NewFaulty(t, faults)
	of := func(client dynamodbiface.DynamoDBAPI) webtest.Setup {
		return webtest.Setup{Change: func(e *app.Env) { e.Table = table.Open(client, name) }}
	}
	api, sound = newAPI(t, of(enginetest.Client(t)))
	return api, sound, of(torn{world.Client(1)}).New(t, groups()...).As(webtest.Employee(1))
}

// torn is an engine that reads the items of a batch one after the other, as AWS may do.
type torn struct{ dynamodbiface.DynamoDBAPI }

func (e torn) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	all := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}}
	for name, asked := range in.RequestItems {
		for _, key := range asked.Keys {
			one := asked
			one.Keys = []map[string]types.AttributeValue{key}
			out, err := e.DynamoDBAPI.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{name: one}}, opts...)
			if err != nil {
				return nil, err
			}
			all.Responses[name] = append(all.Responses[name], out.Responses[name]...)
			time.Sleep(time.Millisecond)
		}
	}
	return all, nil
}

// tallies are the counts and sums of a board, stage by stage.
func tallies(a *webtest.Answer) (all string, count int64) {
	for i := range a.Status(200).Value("stages").([]any) {
		n := a.Int(fmt.Sprintf("stages.%d.count", i))
		all += fmt.Sprintf("%d %s, ", n, a.Text(fmt.Sprintf("stages.%d.sum", i)))
		count += n
	}
	return all, count
}

// Sixteen who make leads in one stage at once, where transactions meet as on AWS: none fails, and
// nothing is lost of count and sum.
func TestManyLeadsAtOnce(t *testing.T) {
	api, c, racer := newFaulty(t, tabletest.Locks())
	var wait sync.WaitGroup
	for n := range 16 {
		wait.Go(func() { racer.Post(leads, fmt.Sprintf(`{"stage":1,"funnel":1,"price":"%d.10"}`, n)).Status(201) })
	}
	wait.Wait()
	if got, _ := tallies(c.Get(board)); got != "16 121.60, 0 0.00, 0 0.00, " {
		t.Errorf("the board is %s", got)
	}
	whole(t, api)
}

// Sixteen who move one lead, and others, at once: none fails, each lead is in one stage, and
// every board that is read meanwhile shows all of them once.
func TestManyMovesAtOnce(t *testing.T) {
	for name, faults := range map[string]tabletest.Faults{"as on AWS": tabletest.Locks(), "as fast as can be": {}} {
		t.Run(name, func(t *testing.T) {
			api, c, racer := newFaulty(t, faults)
			for range 4 {
				c.Post(leads, `{"stage":1,"funnel":1,"price":"10"}`).Status(201)
			}
			var wait sync.WaitGroup
			for n := range 16 {
				wait.Go(func() {
					racer.Patch(leads+"1/", fmt.Sprintf(`{"stage":%d}`, 1+n%2)).Status(200).Field("stage", fmt.Sprint(1+n%2))
					racer.Patch(leads+fmt.Sprint(2+n%3)+"/", `{"stage":3,"cancel_reason":"Why not","price":"20"}`).Status(200)
				})
			}
			for range 8 {
				if all, n := tallies(racer.Get(board)); n != 4 {
					t.Errorf("a board of four leads shows %s", all)
				}
			}
			wait.Wait()
			at := c.Get(leads + "1/").Int("stage")
			want := map[int64]string{1: "1 10.00, 0 0.00, 3 60.00, ", 2: "0 0.00, 1 10.00, 3 60.00, "}[at]
			if got, _ := tallies(c.Get(board)); got != want {
				t.Errorf("lead 1 is in %d, and the board is %s", at, got)
			}
			whole(t, api)
		})
	}
}

// A stage is deleted while a lead moves into it: either the lead is there and the stage is held, or
// the stage is gone and the lead stays where it was.
func TestAStageThatGoesWhileALeadComes(t *testing.T) {
	api, c := newAPI(t, webtest.Setup{})
	c.Post(leads, `{"stage":1,"funnel":1,"price":"10"}`).Status(201)
	var moves, ends int
	for round := range 50 {
		below, gone := funnels+"1/", ""
		if round%2 == 1 { // the whole funnel goes
			below = funnels + fmt.Sprint(c.Post(funnels, `{"name":"Soon gone"}`).Status(201).Int("id")) + "/"
			gone = below
		}
		made := c.Post(below+"stages/", `{"name":"Soon gone"}`).Status(201)
		if gone == "" {
			gone = below + "stages/" + fmt.Sprint(made.Int("id")) + "/"
		}
		var moved, ended *webtest.Answer
		var wait sync.WaitGroup
		wait.Go(func() {
			moved = c.Patch(leads+"1/", fmt.Sprintf(`{"funnel":%d,"stage":%d}`, made.Int("funnel"), made.Int("id")))
		})
		wait.Go(func() { ended = c.Delete(gone) })
		wait.Wait()
		if moved.Code() == 200 {
			ended.Status(409).JSON(`{"detail":"Other records depend on this one.","code":"held","held_by":{"lead":1}}`)
			c.Get(leads+"1/").Field("stage", fmt.Sprint(made.Int("id")))
			c.Patch(leads+"1/", `{"funnel":1,"stage":1}`).Status(200)
			c.Delete(gone).Status(204)
			moves++
			continue
		}
		if moved.Status(400); round%2 == 0 {
			moved.JSON(fmt.Sprintf(`{"stage":["Invalid pk \"%d\" - object does not exist."]}`, made.Int("id")))
		}
		ended.Status(204)
		c.Get(leads+"1/").Field("stage", "1")
		ends++
	}
	t.Logf("%d moves, %d ends", moves, ends)
	if got, _ := tallies(c.Get(board)); got != "1 10.00, 0 0.00, 0 0.00, " {
		t.Errorf("the board is %s", got)
	}
	whole(t, api)
}

// Where answers are lost and calls are throttled, what is stored is whole, and what a caller was told
// is so.
func TestSalesAmidFaults(t *testing.T) {
	api, c, unlucky := newFaulty(t, tabletest.Faults{Lost: 0.1, Throttled: 0.1})
	var wait sync.WaitGroup
	var made, unknown atomic.Int64
	for n := range 8 {
		wait.Go(func() {
			a := unlucky.Post(leads, fmt.Sprintf(`{"stage":1,"funnel":1,"price":"%d"}`, n+1))
			if a.Code() != 201 {
				a.Status(503)
				unknown.Add(1)
				return
			}
			made.Add(1)
			one := leads + fmt.Sprint(a.Int("id")) + "/"
			if moved := unlucky.Patch(one, `{"stage":2,"price":"50"}`); moved.Code() == 200 {
				c.Get(one).Status(200).Field("stage", "2").Field("price", `"50.00"`)
				if gone := unlucky.Delete(one); gone.Code() == 204 {
					c.Get(one).Status(404)
				}
			}
		})
	}
	wait.Wait()
	_, count := tallies(c.Get(board))
	if listed := c.Get(leads).Int("count"); listed != count || made.Load() == 0 {
		t.Errorf("%d leads are listed, the board has %d; %d were made, %d unknown", listed, count, made.Load(), unknown.Load())
	}
	whole(t, api)
}

// The cost of a board follows from its stages alone.
func TestCostOfABoard(t *testing.T) {
	_, c := newAPI(t, webtest.Setup{})
	for range lead.MaxStages - 3 {
		c.Post(stages, `{"name":"Another one with quite a long name"}`).Status(201)
	}
	for range 30 {
		c.Post(leads, `{"stage":1,"funnel":1,"price":"10"}`).Status(201)
	}
	c.Get(board).Status(200).Calls(2).Units(53, 0).Field("stages.0.count", "30").Field("stages.0.sum", `"300.00"`)
	c.Delete(stages + "1/").Status(409).JSON(`{"detail":"Other records depend on this one.","code":"held","held_by":{"lead":30}}`)
	c.Get(funnels).Status(200).Calls(2)
}
