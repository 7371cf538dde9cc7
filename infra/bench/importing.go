package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/tenantry/tenantry/infra/groups"
	"github.com/tenantry/tenantry/shared/app"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/table"
)

// process is the connection of one process to the engine. It counts transactions, and can die at one of them.
type process struct {
	dynamodbiface.DynamoDBAPI
	transactions atomic.Int64
	deadAt       int64 // the transaction with this number, counted from 1, and all later ones fail; 0 means none
}

// TransactWriteItems fails in a process that is dead.
func (p *process) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	if n := p.transactions.Add(1); p.deadAt > 0 && n >= p.deadAt {
		return nil, errors.New("this process is dead")
	}
	return p.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
}

// imports measures page 1 of the clients four times: before an import, while it runs, after its process has died, and after the worker
// has removed what it left. The process of this import dies before the commit. Each answer has to be the same to the byte.
func (b *bench) imports(ctx context.Context, r *section) error {
	mortal := &process{DynamoDBAPI: b.stage.api}
	dying, err := b.client(ctx, "crashing", "clients", func(env *app.Env) { env.Table = table.Open(mortal, tableName) })
	if err != nil {
		return err
	}
	payload := func(n int) []byte {
		return event(dying.company, http.MethodPost, clientsPath+"import/individual/", rows(n*importRows, importRows, individual))
	}
	var least int64 // an import whose search finds many changes asks for their merge, in one transaction more
	for n := range 2 {
		mortal.transactions.Store(0)
		if _, err := must(ctx, dying.server, payload(n)); err != nil {
			return err
		}
		if took := mortal.transactions.Swap(0); n == 0 || took < least {
			least = took
		}
	}
	mortal.deadAt = least // the commit is the last one
	alive, err := b.client(ctx, "crashing", "clients")
	if err != nil {
		return err
	}
	afterwards, err := b.client(ctx, "crashing", "clients", later(2*bulk.Lease))
	if err != nil {
		return err
	}
	var all sample
	var shown []byte
	look := func(c client) error {
		for range 20 {
			l, a, err := c.page(ctx, clientsPath+"?pageSize=20")
			if err != nil {
				return err
			}
			if shown == nil {
				shown = a.body
			}
			if l.Count != 2*importRows || len(l.Results) != pageSize || !bytes.Equal(shown, a.body) {
				return fmt.Errorf("a list of %d clients, another than before the import: %.300s", l.Count, a.body)
			}
			all.add(a)
		}
		return nil
	}
	if err := look(alive); err != nil {
		return err
	}
	a, err := ask(ctx, dying.server, payload(2))
	if err != nil {
		return err
	}
	if n := mortal.transactions.Load(); a.status < http.StatusInternalServerError || n < mortal.deadAt {
		return fmt.Errorf("an import whose process died was answered %d after %d transactions", a.status, n)
	}
	for _, step := range []func() error{
		func() error { return look(alive) },
		func() error { return look(afterwards) },
		func() error { return b.work(ctx) },
		func() error { return look(alive) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	most := all.most()
	r.judge("page 1 of the clients, while an import runs and after one crashed", most.calls <= 4 && most.read <= 22,
		"≤ 4 calls, ≤ 22 read units", "%d calls, %s units at most", most.calls, units(most.read))
	if _, err := must(ctx, alive.server, payload(2)); err != nil {
		return fmt.Errorf("the same import again: %w", err)
	}
	return nil
}

// work runs the worker until no message is due, as if the leases of all imports were over.
func (b *bench) work(ctx context.Context) error {
	env, _, err := b.env("worker", measured())
	if err != nil {
		return err
	}
	later(2 * bulk.Lease)(&env)
	w := groups.Worker(env)
	for {
		if n, err := w.Sweep(ctx); err != nil || n == 0 {
			return err
		}
	}
}
