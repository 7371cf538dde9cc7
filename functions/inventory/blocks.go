package inventory

import (
	"github.com/tenantry/tenantry/functions/inventory/item"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/web/resource"
)

type blockBody struct {
	StartAt decode.Optional[decode.DateTime] `json:"start_at" required:"true" example:"2030-09-01T09:00:00Z"`
	EndAt   decode.Optional[decode.DateTime] `json:"end_at" required:"true" example:"2030-09-03T18:00:00Z" doc:"After start_at. The item can be rented from then on."`
	Reason  decode.Optional[string]          `json:"reason" nullable:"true" blank:"true" maxLength:"1000" example:"Repair"`
}

// Block is a block as callers see it.
type Block struct {
	item.ShownBlock
	Inventory int64 `json:"inventory"`
}

// blocks are the times for which an item can't be rented.
func blocks() resource.Embedded[*item.Item, item.Block, blockBody, Block] {
	return resource.Embedded[*item.Item, item.Block, blockBody, Block]{
		List: item.Blocks(), Path: "blocks", Param: "inventory_id", One: "block", Many: "inventory blocks",
		Apply: applyBlock, Changed: item.Blocked,
		View: func(it *item.Item, b *item.Block, _ resource.Viewer) Block { return Block{b.Shown(), it.ID} },
		Doc: "Times for which an item can't be rented, at most 50, those that are over included. A time at which the item is " +
			"occupied is 409 with the code `overlap` and the `conflicts`, each of a `line` and its `request` or of a `block`. So " +
			"are, with other codes, a time of an item that is archived or withdrawn (`closed`), and one " +
			"that begins before what is still known of the item's past (`past`).",
	}
}

func applyBlock(_ *item.Item, b *item.Block, in *blockBody, errs fault.FieldErrors) {
	if in.StartAt.Set && !in.StartAt.Null {
		b.Start = moment.Of(in.StartAt.Value.Time)
	}
	if in.EndAt.Set && !in.EndAt.Null {
		b.End = moment.Of(in.EndAt.Value.Time)
	}
	in.Reason.IntoNullable(&b.Reason)
	if !errs.Has("start_at") && !errs.Has("end_at") && b.End <= b.Start {
		errs.Add("end_at", say.PeriodEndNotAfterStart)
	}
}
