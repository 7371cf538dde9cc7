package tabletest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
)

// past remembers earlier versions of items. It forgets an item that was not written within the lag: then the engine's
// own answer is right.
type past struct {
	lag   time.Duration
	mu    sync.Mutex
	items map[item][]version
}

// version is the state of an item from a given time on; nil attributes mean that it did
// not exist.
type version struct {
	from  time.Time
	image attributes
}

// around runs a write, and records what it changes in its items.
func (p *past) around(ctx context.Context, api dynamodbiface.DynamoDBAPI, items []item, write func()) error {
	if p.lag == 0 {
		write()
		return nil
	}
	p.mu.Lock()
	now := time.Now()
	var unknown []item
	for _, it := range items {
		if p.prune(it, now) == nil {
			unknown = append(unknown, it)
		}
	}
	p.mu.Unlock()
	if err := p.record(ctx, api, unknown, time.Time{}); err != nil {
		return err
	}
	write()
	return p.record(ctx, api, items, time.Now())
}

// prune forgets versions that no read can get any more.
func (p *past) prune(it item, now time.Time) []version {
	versions, oldest := p.items[it], now.Add(-p.lag)
	for len(versions) > 1 && !versions[1].from.After(oldest) {
		versions = versions[1:]
	}
	if len(versions) == 1 && !versions[0].from.IsZero() && versions[0].from.Before(oldest) {
		versions = nil
	}
	if versions == nil {
		delete(p.items, it)
	} else {
		p.items[it] = versions
	}
	return versions
}

// record reads the items and adds their state to the past.
func (p *past) record(ctx context.Context, api dynamodbiface.DynamoDBAPI, items []item, from time.Time) error {
	if len(items) == 0 {
		return nil
	}
	images := map[item]attributes{}
	requests := map[string]types.KeysAndAttributes{}
	for _, it := range items {
		r := requests[it.table]
		r.ConsistentRead = aws.Bool(true)
		r.Keys = append(r.Keys, attributes{
			"pk": &types.AttributeValueMemberS{Value: it.pk}, "sk": &types.AttributeValueMemberS{Value: it.sk},
		})
		requests[it.table] = r
	}
	for len(requests) > 0 {
		out, err := api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: requests})
		if err != nil {
			return fmt.Errorf("tabletest: remember: %w", err)
		}
		for table, found := range out.Responses {
			for _, image := range found {
				images[itemOf(&table, image)] = image
			}
		}
		requests = out.UnprocessedKeys
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, it := range items {
		p.items[it] = append(p.items[it], version{from: from, image: images[it]})
	}
	return nil
}

// at returns an item as it was at a random moment of the lag, if the past knows it.
func (p *past) at(it item, random *rand.Rand) (image attributes, known bool) {
	now := time.Now()
	moment := now.Add(-time.Duration(random.Int64N(int64(p.lag) + 1)))
	versions := p.prune(it, now)
	for _, v := range versions {
		if !v.from.After(moment) {
			image, known = v.image, true
		}
	}
	return image, known
}

// get returns one item as a stale read sees it.
func (p *past) get(it item, image attributes, random *rand.Rand) attributes {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, known := p.at(it, random); known {
		return old
	}
	return image
}
