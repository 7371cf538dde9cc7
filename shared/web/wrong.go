package web

import (
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// found keeps the errors that the decoder found in fields of the body. An error of the body as
// a whole is returned instead.
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

// meant refuses a body that names another company than the request's. Such a body was meant
// for the other company, so nothing else in it is checked.
func (r *Request) meant(tree any) error {
	if r.Table == nil {
		return nil
	}
	err := r.otherCompany(tree)
	if err != nil {
		if err = r.found(err); err == nil {
			err = r.Wrong.Err()
		}
	}
	return err
}

// otherCompany returns the fault of an object that names another company than the request's.
func (r *Request) otherCompany(tree any) error {
	var named struct {
		Tenant decode.Optional[int64] `json:"tenant"`
	}
	err, own := decode.Struct(tree, &named, true), int64(r.Table.ID())
	if err == nil && named.Tenant.Set && named.Tenant.Value != own {
		err = fault.Field("tenant", say.DoesNotExist(named.Tenant.Value))
	}
	return err
}

// allThatIsWrong returns the fault of a body with wrong fields, although its handler was
// called: the decoder's errors and those that the handler found. Any other error of the
// handler is only logged, because the caller has to send another body first.
func (r *Request) allThatIsWrong(err error) error {
	all := fault.FieldErrors{}
	all.Merge("", r.Wrong)
	f, ok := fault.As(err)
	if ok && f.Code == fault.Invalid {
		all.Merge("", f.Fields)
	}
	told, _ := fault.As(all.Err())
	if ok && f.Code == fault.Invalid && len(f.Fields) > 0 { // what it says to machines is about fields that are told
		for name, value := range f.Members {
			told = told.With(name, value)
		}
	}
	return told.Because(err)
}

// inStep gives the errors of fields the shape of the body, because the code that added them
// may not know how many rows were sent.
func (r *Request) inStep(err error) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 || r.sent == nil {
		return err
	}
	shaped := *f
	shaped.Fields = f.Fields.InStep(r.sent())
	return &shaped
}
