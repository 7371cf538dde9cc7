package world

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// item is one item of the table.
type item = map[string]types.AttributeValue

// Message is the key of a message in the outbox.
type Message struct{ PK, SK string }

// NewMessages returns the messages of the outbox that were left or armed since the world was made. Reset may follow it at once, and no
// write between them.
func (w *World) NewMessages(ctx context.Context) ([]Message, error) {
	now, err := w.scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	w.seen = now
	var found []Message
	for key, it := range now {
		if strings.HasPrefix(text(it["sk"]), "outbox#") && !reflect.DeepEqual(w.items[key], it) {
			found = append(found, Message{text(it["pk"]), text(it["sk"])})
		}
	}
	slices.SortFunc(found, func(a, b Message) int { return strings.Compare(a.SK, b.SK) })
	return found, nil
}

// Reset brings the world back to the state in which it was made. A world that is too old for its codes and tokens is
// made again. Reset returns whether anything had changed. Nothing else may use the world meanwhile.
func (w *World) Reset(ctx context.Context) (changed bool, err error) {
	now := w.seen
	w.seen = nil
	if now == nil {
		if now, err = w.scan(ctx); err != nil {
			return false, fmt.Errorf("world: %w", err)
		}
	}
	changed = !reflect.DeepEqual(now, w.items)
	if time.Since(w.made) > fresh {
		return changed, w.make(ctx)
	}
	if !changed {
		return false, nil
	}
	for key, it := range now {
		if _, stays := w.items[key]; !stays {
			if err := w.remove(ctx, it); err != nil {
				return true, fmt.Errorf("world: %w", err)
			}
		}
	}
	for key, it := range w.items {
		if reflect.DeepEqual(now[key], it) {
			continue
		}
		if _, err := w.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(w.table), Item: it}); err != nil {
			return true, fmt.Errorf("world: %w", err)
		}
	}
	return true, w.store(ctx) // a request may have taken the upload and removed its bytes
}

// Renew makes the world again, however old it is.
func (w *World) Renew(ctx context.Context) error { return w.make(ctx) }

// store puts the bytes of the upload that nobody took into the bucket, at the address of the upload.
func (w *World) store(ctx context.Context) error {
	key, ok := strings.CutPrefix(w.Values()["upload.file"], w.filesBase())
	if !ok {
		return fmt.Errorf("world: the upload %q is in another bucket", w.values["upload.file"])
	}
	if _, err := w.engines.Files.Client().PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(w.engines.Files.Name), Key: aws.String(key),
		Body: strings.NewReader(uploadText), ContentType: aws.String(uploadType),
	}); err != nil {
		return fmt.Errorf("world: upload: %w", err)
	}
	return nil
}

// scan reads the whole table.
func (w *World) scan(ctx context.Context) (map[string]item, error) {
	items := map[string]item{}
	pages := dynamodb.NewScanPaginator(w.client, &dynamodb.ScanInput{TableName: aws.String(w.table), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			items[text(it["pk"])+"\x00"+text(it["sk"])] = it
		}
	}
	return items, nil
}

// clear empties the table.
func (w *World) clear(ctx context.Context) error {
	items, err := w.scan(ctx)
	if err != nil {
		return err
	}
	for _, it := range items {
		if err := w.remove(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) remove(ctx context.Context, it item) error {
	_, err := w.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(w.table), Key: item{"pk": it["pk"], "sk": it["sk"]},
	})
	return err
}

func text(v types.AttributeValue) string {
	s, ok := v.(*types.AttributeValueMemberS)
	if !ok {
		return ""
	}
	return s.Value
}
