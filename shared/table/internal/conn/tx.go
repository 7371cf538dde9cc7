package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/transport/http"
	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/patience"
	"github.com/tenantry/tenantry/shared/say"
)

// How often a transaction is tried while others hold its items, and a call while no answer
// comes. Between tries it waits a random time below a limit that doubles. Sixteen writers who go
// on writing to one item find it held about every second time; so that none of them ever fails,
// there are many tries, which still end well within the time that a gateway waits.
const (
	attempts  = 64
	calls     = 6
	firstWait = 4 * time.Millisecond
	maxWait   = 250 * time.Millisecond
)

// Tx is a transaction being built. Each operation carries the error to return if its condition
// fails, so that a store states its intent and need not count positions.
type Tx struct {
	wtx  *dynamo.WriteTx
	errs []error
}

// Put adds a put; Write returns failed if its condition is not true.
func (tx *Tx) Put(p *dynamo.Put, failed error) {
	tx.wtx.Put(p)
	tx.errs = append(tx.errs, failed)
}

// Update adds an update.
func (tx *Tx) Update(u *dynamo.Update, failed error) {
	tx.wtx.Update(u)
	tx.errs = append(tx.errs, failed)
}

// Delete adds a delete.
func (tx *Tx) Delete(d *dynamo.Delete, failed error) {
	tx.wtx.Delete(d)
	tx.errs = append(tx.errs, failed)
}

// Check adds a condition on an item that the transaction does not write.
func (tx *Tx) Check(c *dynamo.ConditionCheck, failed error) {
	tx.wtx.Check(c)
	tx.errs = append(tx.errs, failed)
}

// Len is the number of operations so far.
func (tx *Tx) Len() int { return len(tx.errs) }

// Limits of a transaction: operations, and bytes of the items that it puts. The engine also
// counts the items that it updates and deletes, but these are small here.
const (
	MaxOperations = 100
	MaxBytes      = 4 << 20
)

// ErrTooLarge is the fault of a change that does not fit into one transaction. It is refused
// before it is sent. If a rule limits how much one request may change, that rule refuses it
// earlier, with a better message.
var ErrTooLarge = fault.New(fault.Invalid, say.TooManyChanges).
	Coded()

// maxItem is the largest size of an item that the engine accepts, in bytes with its keys.
const maxItem = 400 << 10

// ErrItemTooLarge is the fault of a record that does not fit into one item. It is refused
// before it is sent. If a rule limits the size of a field, that rule refuses it earlier, with a
// better message.
var ErrItemTooLarge = fault.New(fault.Invalid, say.RecordTooLarge).Coded()

// Write builds a transaction and runs it until it has taken place or can't take place.
//
// build is called for the first try, and once for each try that follows a conflict, with the
// number of conflicts so far, so that it can choose other items. An error of build ends Write.
// A try whose answer was lost is repeated unchanged, with its token, and so takes effect only
// once. A transaction without operations succeeds. The result is nil, the error of the first
// operation whose condition failed, ErrTooLarge, ErrItemTooLarge, or a fault Unavailable. After
// Unavailable the outcome is unknown, and the caller has to find out before it answers.
func (h Handle) Write(ctx context.Context, build func(tx *Tx, conflicts int) error) error {
	conflicts := 0
	for {
		tx := &Tx{wtx: h.db.WriteTx().IdempotentWithToken(uuid.NewString())}
		if err := build(tx, conflicts); err != nil {
			return err
		}
		switch n := tx.Len(); {
		case n == 0:
			return nil
		case n > MaxOperations:
			return ErrTooLarge
		}
		err := h.run(ctx, tx)
		if err == nil || !errors.Is(err, errConflict) {
			return err
		}
		if conflicts++; conflicts >= attempts {
			return fault.ErrUnavailable.Because(err)
		}
		if err := pause(ctx, conflicts); err != nil {
			return fault.ErrUnavailable.Because(err)
		}
	}
}

// errConflict says that another transaction held one of the items.
var errConflict = errors.New("table: transaction conflict")

// run sends one transaction.
func (h Handle) run(ctx context.Context, tx *Tx) error {
	err := tx.wtx.Run(ctx)
	if err == nil || Unavailable(err) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrItemTooLarge) {
		return err
	}
	if cancelled := new(types.TransactionCanceledException); errors.As(err, &cancelled) {
		return tx.reason(cancelled)
	}
	return fmt.Errorf("table: transaction: %w", err)
}

// reason turns a cancellation into the error of the operation that failed. A failed condition
// takes precedence over a conflict: it would fail again.
func (tx *Tx) reason(cancelled *types.TransactionCanceledException) error {
	for i, r := range cancelled.CancellationReasons {
		if aws.ToString(r.Code) == "ConditionalCheckFailed" {
			if i < len(tx.errs) && tx.errs[i] != nil {
				return refusal{tx.errs[i]}
			}
			return refusal{fmt.Errorf("table: condition of operation %d failed: %w", i, cancelled)}
		}
	}
	if contended(cancelled) {
		return fmt.Errorf("%w: %w", errConflict, cancelled)
	}
	return fmt.Errorf("table: transaction: %w", cancelled)
}

// refusal is the error of an operation whose condition failed.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// Refused tells whether a condition of a transaction failed. It may have failed because the
// same transaction had already taken place: the SDK repeats a transaction whose answer it did
// not get, and an engine may have forgotten the token by which it would recognise the
// repetition.
func Refused(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

// contended tells whether a transaction was cancelled only for temporary reasons: others held
// its items, or the table was too busy.
func contended(err error) bool {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return false
	}
	busy := false
	for _, r := range cancelled.CancellationReasons {
		switch aws.ToString(r.Code) {
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			busy = true
		case "", "None":
		default:
			return false
		}
	}
	return busy
}

// Retry repeats a call that conflicted with a transaction, was throttled, or got no answer. If
// the last try fails too, the outcome is unknown, as with Write.
func Retry(ctx context.Context, do func() error) error { return retryWhile(ctx, do, Unavailable) }

func retryWhile(ctx context.Context, do func() error, again func(error) bool) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || !again(err) {
			return err
		}
		if try >= calls || patience.Spent(ctx) {
			return fault.ErrUnavailable.Because(err)
		}
		if pauseErr := pause(ctx, try); pauseErr != nil {
			return fault.ErrUnavailable.Because(err)
		}
	}
}

// pause waits a random time below a limit that doubles with each try.
func pause(ctx context.Context, try int) error {
	limit := min(maxWait, firstWait<<min(try, 10))
	t := time.NewTimer(time.Duration(rand.Int64N(int64(limit)))) //nolint:gosec // jitter, not a secret
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Unavailable tells whether an error means that the engine did not accept the call, or that its
// answer was lost: a later try may succeed.
func Unavailable(err error) bool {
	if f, ok := fault.As(err); ok {
		return f.Code == fault.Unavailable
	}
	var inProgress *types.TransactionInProgressException
	var conflict *types.TransactionConflictException
	var network net.Error
	if errors.As(err, &inProgress) || errors.As(err, &conflict) || errors.As(err, &network) ||
		errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	retryable := retry.IsErrorRetryables(Retryables())
	throttle := retry.IsErrorThrottles(retry.DefaultThrottles)
	return retryable.IsErrorRetryable(err) == aws.TrueTernary || throttle.IsErrorThrottle(err) == aws.TrueTernary
}

// Retryables are the checks for what another try may mend: the SDK's, and one for an answer that began and did not reach its end.
// The SDK takes such an answer for a wrong one, which would come again. What it was to say is not known, as if it had been lost.
func Retryables() []retry.IsErrorRetryable {
	return append(slices.Clip(retry.DefaultRetryables), retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
		var answer *http.ResponseError
		if errors.As(err, &answer) && errors.Is(err, io.ErrUnexpectedEOF) {
			return aws.TrueTernary
		}
		return aws.UnknownTernary
	}))
}
