package ledger

import (
	"cmp"
	"context"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table"
)

// Account is an account as it is stored.
type Account struct {
	record.Meta
	Name    string       `dynamo:"n"`
	Initial money.Amount `dynamo:"i"`
	Types   []int64      `dynamo:"ty,omitempty"` // of its postings
	Order   int64        `dynamo:"o"`
	// Chosen is when the account last became the default. The register says which account is the
	// default now.
	Chosen moment.Micros `dynamo:"ch,omitempty"`
}

// ShownAccount is what the history sees of an account.
type ShownAccount struct {
	Name    string       `json:"name"`
	Initial money.Amount `json:"initial"`
	Types   []int64      `json:"types"`
	Order   int64        `json:"order"`
	Chosen  *string      `json:"default_since" nullable:"true"`
}

// total is the sum of an account: its initial amount and all its postings.
const total = "t"

// Accounts is the kind of accounts.
func Accounts() *record.Kind[*Account] { return declaredAccounts.Get(declareAccounts) }

var declaredAccounts record.Declared[*Account]

func declareAccounts() record.Kind[*Account] {
	return record.Kind[*Account]{
		Kind: kinds.Of(kinds.Account), Name: func(a *Account) string { return a.Name }, Most: MaxAccounts,
		Shown:  func(a *Account) any { return a.shown() },
		Sorted: func(a, b *Account) int { return cmp.Compare(a.Order, b.Order) },
	}
}

func (a *Account) shown() ShownAccount {
	s := ShownAccount{Name: a.Name, Initial: a.Initial, Types: a.Types, Order: a.Order}
	if a.Chosen != 0 {
		at := encode.Instant(a.Chosen.Time())
		s.Chosen = &at
	}
	return s
}

// register is the item about all accounts of a company. That one account is the default is a
// single number, so there can't be two of them, nor none as long as there are accounts.
type register struct {
	Default int64 // 0 if there are no accounts
	Count   int64
}

// The attributes of the register, which lies among the sums of accounts, where no account is.
const (
	registerDefault = "d"
	registerCount   = "n"
	registerVersion = 1
)

// Register is the key of the register.
func Register(t *table.Tenant) table.Key { return t.Beside(kinds.Account, 0) }

// registry is the register within a unit of work.
type registry struct {
	was, is register
	changed bool
}

func registered(ctx context.Context, w *record.Work) (*registry, error) {
	return record.Once(w, Register(w.Scope().Table), func() (*registry, error) {
		item, err := w.Item(ctx, Register(w.Scope().Table))
		r := register{Default: item.Int(registerDefault), Count: item.Int(registerCount)}
		return &registry{was: r, is: r}, err
	})
}

// become writes a new state of the register, when the default or the number of accounts changes. If
// another request has changed the default meanwhile, or the number where that matters, the unit of
// work is decided anew.
func (r *registry) become(w *record.Work, after register) {
	r.is = after
	if r.changed {
		return
	}
	r.changed = true
	w.Also(func(tx *table.Tx) error {
		t, condition, args := w.Scope().Table, "'d' = ?", []any{r.was.Default}
		if r.was.Default == 0 {
			condition = "(attribute_not_exists('d') OR 'd' = ?)"
		}
		if r.is.Default == 0 { // nobody may have made another account, which would have no default
			condition, args = condition+" AND 'n' = ?", append(args, r.was.Count)
		}
		u := t.Update(Register(t)).Set("v", registerVersion).Set(registerDefault, r.is.Default).If(condition, args...)
		if more := r.is.Count - r.was.Count; more != 0 {
			u = u.Add(registerCount, more)
		}
		tx.Update(u, table.ErrRevision)
		return nil
	})
}

// Default is the id of the company's default account; 0 if there are no accounts.
func Default(ctx context.Context, w *record.Work) (int64, error) {
	r, err := registered(ctx, w)
	if err != nil {
		return 0, err
	}
	return r.is.Default, nil
}

// Open registers a new account of the unit of work. It makes the account the default if it is the
// company's first one, or if chosen is true.
func Open(ctx context.Context, w *record.Work, a *Account, chosen bool) error {
	if err := w.Number(ctx); err != nil {
		return err
	}
	r, err := registered(ctx, w)
	if err != nil {
		return err
	}
	if !a.Initial.IsZero() {
		Accounts().AddToSums(w, a.ID, record.Addition{Name: total, By: a.Initial})
	}
	after := register{Default: r.is.Default, Count: r.is.Count + 1}
	if chosen || r.is.Default == 0 {
		a.Chosen, after.Default = now(w), a.ID
	}
	r.become(w, after)
	return nil
}

// Change does what goes with a change of an account by the unit of work. chosen is whether it is
// to be the default account; nil leaves that as it is.
func Change(ctx context.Context, w *record.Work, a *Account, chosen *bool) error {
	before := Accounts().Before(w, a.ID)
	if by := a.Initial.Sub(before.Initial); !by.IsZero() {
		Accounts().AddToSums(w, a.ID, record.Addition{Name: total, By: by})
	}
	if chosen == nil {
		return nil
	}
	r, err := registered(ctx, w)
	if err != nil {
		return err
	}
	switch is := r.is.Default == a.ID; {
	case is && !*chosen:
		w.Errors("").Add("default", say.AccountStaysDefault)
	case !is && *chosen:
		a.Chosen = max(now(w), a.Chosen+1) // the history tells it even within one microsecond
		r.become(w, register{Default: a.ID, Count: r.is.Count})
	}
	return nil
}

// Close does what goes with the end of an account. The default account is the last to go.
func Close(ctx context.Context, w *record.Work, a *Account) error {
	r, err := registered(ctx, w)
	if err != nil {
		return err
	}
	after := register{Default: r.is.Default, Count: r.is.Count - 1}
	switch {
	case r.is.Default == a.ID && r.is.Count > 1:
		return errDefault
	case r.is.Default == a.ID:
		after.Default = 0
	}
	r.become(w, after)
	return nil
}

// Money is what an account is worth, and whether it is the default.
type Money struct {
	Balance money.Amount
	Default bool
}

// Beside are the keys of what MoneyOf needs of an account.
func Beside(t *table.Tenant, id int64) []table.Key {
	return []table.Key{t.Beside(kinds.Account, id), Register(t)}
}

// MoneyOf is what accounts are worth at the time of the request, in one call, as the unit of
// work leaves them.
func MoneyOf(ctx context.Context, w *record.Work, ids ...int64) ([]Money, error) {
	const few = 2
	var err error
	if len(ids) > few {
		err = Accounts().LoadSums(ctx, w, append([]int64{0}, ids...)...)
	} else {
		var all keys
		for _, id := range ids {
			all.add(Beside(w.Scope().Table, id)...)
		}
		err = w.Load(ctx, all...)
	}
	if err != nil {
		return nil, err
	}
	r, err := registered(ctx, w)
	if err != nil {
		return nil, err
	}
	list := make([]Money, len(ids))
	for i, id := range ids {
		balance, err := balanceOf(ctx, w, id)
		if err != nil {
			return nil, err
		}
		list[i] = Money{Balance: balance, Default: r.is.Default == id}
	}
	return list, nil
}

// balanceOf is the balance of an account at the time of the request.
func balanceOf(ctx context.Context, w *record.Work, id int64) (money.Amount, error) {
	sums, err := Accounts().Sums(ctx, w, id)
	if err != nil {
		return money.Amount{}, err
	}
	entries, err := Accounts().Entries(ctx, w, id)
	balance := sums[total]
	for _, e := range entries {
		if e.At > now(w) {
			balance = balance.Sub(e.Amount)
		}
	}
	return balance, err
}
