package finance

import (
	"context"

	"github.com/tenantry/tenantry/functions/finance/ledger"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type accountBody struct {
	Name    decode.Optional[string]       `json:"name" required:"true" maxLength:"255" example:"Cash desk"`
	Default decode.Optional[bool]         `json:"default" default:"false" doc:"Setting it moves it here from another account; the first account has it."`
	Initial decode.Optional[money.Amount] `json:"initial" default:"0.00" example:"1000.00" doc:"What was there before the first transaction; may be negative. Changing it moves the balance by the difference."`
	Types   decode.Optional[[]int64]      `json:"types" maxItems:"100" doc:"The types that its transactions may have; none, if it is left out"`
	Order   decode.Optional[int64]        `json:"order" minimum:"-2147483648" maximum:"2147483647" default:"0" doc:"Its place in the list"`
}

// Account is an account as callers see it.
type Account struct {
	ID        int64        `json:"id"`
	CreatedAt string       `json:"created_at" format:"date-time"`
	UpdatedAt string       `json:"updated_at" format:"date-time"`
	Name      string       `json:"name"`
	Balance   money.Amount `json:"balance" doc:"What is there now: initial and all transactions but those dated ahead"`
	Deleted   bool         `json:"deleted"`
	DeletedAt *string      `json:"deleted_at" nullable:"true" format:"date-time"`
	Default   bool         `json:"default"`
	Initial   money.Amount `json:"initial"`
	Types     []int64      `json:"types"`
	Order     int64        `json:"order"`
	Tenant    int64        `json:"tenant"`
}

func accounts() resource.Resource[*ledger.Account, accountBody, Account] {
	return resource.Resource[*ledger.Account, accountBody, Account]{
		Kind: ledger.Accounts(), Role: role, Reads: role,
		Doc: "All of them, by order, and the oldest first where that is the same. At most 200. The sum of two balances may miss an " +
			"exchange that happens at the same moment.",
		Apply: applyAccount, View: viewAccount, Join: joinAccounts, Along: ledger.Beside,
		Made: func(ctx context.Context, w *record.Work, a *ledger.Account, in *accountBody) error {
			return ledger.Open(ctx, w, a, in.Default.Or(false))
		},
		Changed: func(ctx context.Context, w *record.Work, a *ledger.Account, in *accountBody) error {
			var chosen *bool
			in.Default.IntoNullable(&chosen)
			return ledger.Change(ctx, w, a, chosen)
		},
		Gone: ledger.Close,
	}
}

func applyAccount(a *ledger.Account, in *accountBody, _ fault.FieldErrors) {
	in.Name.Into(&a.Name)
	in.Initial.Into(&a.Initial)
	in.Types.Into(&a.Types)
	in.Order.Into(&a.Order)
}

func viewAccount(a *ledger.Account, _ resource.Viewer) Account {
	return Account{
		ID: a.ID, CreatedAt: a.CreatedAt(), UpdatedAt: a.UpdatedAt(), Name: a.Name, Initial: a.Initial,
		Types: append([]int64{}, a.Types...), Order: a.Order, Tenant: int64(a.Tenant()),
	}
}

// joinAccounts adds what accounts are worth, and which one is the default.
func joinAccounts(ctx context.Context, w *record.Work, list []*ledger.Account, views []Account) error {
	ids := make([]int64, len(list))
	for i, a := range list {
		ids[i] = a.ID
	}
	worth, err := ledger.MoneyOf(ctx, w, ids...)
	for i, m := range worth {
		views[i].Balance, views[i].Default = m.Balance, m.Default
	}
	return err
}
