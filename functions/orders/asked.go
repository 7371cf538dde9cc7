package orders

import (
	"context"
	"reflect"

	"github.com/tenantry/tenantry/functions/orders/order"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/enum"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/tenant"
	"github.com/tenantry/tenantry/shared/web"
)

// askedName names an operation on an order whose effect can be asked about.
type askedName string

// Values are the operations that can be asked about.
func (askedName) Values() []enum.Value {
	var names []askedName
	for _, one := range askedOperations() {
		names = append(names, one.name)
	}
	return enum.Named(names...)
}

// askedOperation is an operation on an order whose effect can be asked about.
type askedOperation struct {
	name   askedName
	role   tenant.Role // the lowest that may carry it out; empty: employee
	ofLine bool        // it is about one item line of the order
	read   bodyReader
}

// askedOperations are the operations that can be asked about, each with what it runs itself.
func askedOperations() []askedOperation {
	return []askedOperation{
		{name: "action", read: reading(false, whole(takeStep))},
		{name: "swap", ofLine: true, read: reading(false, swapItem)},
		{name: "reopen", ofLine: true, role: tenant.Manager, read: reading(false, reopenLine)},
		{name: "change", read: reading(true, whole(changeOrder))},
		{name: "inventories", read: readingList("inventories",
			reading(false, whole(addLines)), reading(false, whole(changeLines)), reading(false, whole(removeLines)))},
		{name: "services", read: readingList("services",
			reading(false, whole(addServices)), reading(false, whole(changeServices)), reading(false, whole(removeServices)))},
	}
}

// verb carries out an operation on an order. line is the item line that it is about; 0 where it is about none.
type verb func(ctx context.Context, w *record.Work, o *order.Order, line int64) error

// sentOperation is an operation as it was sent.
type sentOperation struct {
	do      verb
	wrong   fault.FieldErrors // what the decoder has found in its body
	outline map[string]any    // of its body; see decode.Outline
}

// bodyReader reads the body of an operation. The error is about the body as a whole.
type bodyReader func(r *web.Request, tree any) (sentOperation, error)

// reading is the reader of bodies of one type. partial is that of the operation's method; see decode.Struct.
func reading[In any](partial bool, do func(ctx context.Context, w *record.Work, o *order.Order, line int64, in *In) error) bodyReader {
	decode.Describe(reflect.TypeFor[In]())
	return func(r *web.Request, tree any) (sentOperation, error) {
		in := new(In)
		sent := sentOperation{
			outline: decode.Outline(reflect.TypeFor[In](), tree),
			do: func(ctx context.Context, w *record.Work, o *order.Order, line int64) error {
				return do(ctx, w, o, line, in)
			},
		}
		err := decode.StructIn(tree, in, partial, r.Zone())
		if f, ok := fault.As(err); ok && f.Fields[fault.NonField] == nil {
			sent.wrong, err = f.Fields, nil
		}
		return sent, err
	}
}

// whole is an operation on a whole order, and not on one of its lines.
func whole[In any](
	do func(ctx context.Context, w *record.Work, o *order.Order, in *In) error,
) func(ctx context.Context, w *record.Work, o *order.Order, line int64, in *In) error {
	return func(ctx context.Context, w *record.Work, o *order.Order, _ int64, in *In) error {
		return do(ctx, w, o, in)
	}
}

// readingList is the reader of the bodies of three operations on a list. What the elements are tells which of them is meant: objects with
// an id change lines, those without one add some, and ids alone remove lines.
func readingList(list string, adds, changes, removes bodyReader) bodyReader {
	return func(r *web.Request, tree any) (sentOperation, error) {
		object, _ := tree.(map[string]any)
		elements, _ := object[list].([]any)
		objects := 0
		for _, e := range elements {
			of, ok := e.(map[string]any)
			if _, has := of["id"]; has {
				return changes(r, tree)
			}
			if ok {
				objects++
			}
		}
		if objects == 0 && len(elements) > 0 {
			return removes(r, tree)
		}
		return adds(r, tree)
	}
}

// changeOrder changes an order's own fields.
func changeOrder(ctx context.Context, w *record.Work, o *order.Order, in *orderBody) error {
	applyOrder(o, in, w.Errors(""))
	return amendOrder(ctx, w, o, in)
}
