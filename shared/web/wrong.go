package web

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
)

// found keeps what the decoder has found wrong with fields of the body. What is wrong
// with the body as a whole is given back.
func (r *Request) found(err error) error {
	f, ok := fault.As(err)
	if !ok || f.Fields[fault.NonField] != nil {
		return err
	}
	if r.Wrong == nil {
		r.Wrong = fault.FieldErrors{}
	}
	r.Wrong.Merge("", f.Fields)
	return nil
}

// meant refuses a body that names a company other than the request's. It was meant
// for that one, so nothing more of it is judged here.
func (r *Request) meant(tree any) error {
	if r.Table == nil {
		return nil
	}
	var named struct {
		Tenant decode.Optional[int64] `json:"tenant"`
	}
	err, own := decode.Struct(tree, &named, true), int64(r.Table.ID())
	if err == nil && named.Tenant.Set && named.Tenant.Value != own {
		err = fault.Field("tenant", fault.BadReference(named.Tenant.Value))
	}
	if err != nil {
		if err = r.found(err); err == nil {
			err = r.Wrong.Err()
		}
	}
	return err
}

// allThatIsWrong is the fault of a body whose handler was called though fields of it
// are wrong: these, and what the handler found beside them. What else it failed with
// stays in the log: the caller has to send another body first.
func (r *Request) allThatIsWrong(err error) error {
	all := fault.FieldErrors{}
	all.Merge("", r.Wrong)
	f, ok := fault.As(err)
	if ok && f.Code == fault.Invalid {
		all.Merge("", f.Fields)
	}
	told, _ := fault.As(all.Err())
	return told.Because(err)
}

// inStep gives a fault of wrong fields the shape of the body: whoever added to it
// may not have known how many rows were sent.
func (r *Request) inStep(err error) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 || r.sent == nil {
		return err
	}
	shaped := *f
	shaped.Fields = f.Fields.InStep(r.sent)
	return &shaped
}
