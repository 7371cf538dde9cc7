// Package faulttest says errors of fields in English, so that tests compare what callers read.
package faulttest

import (
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// English are the same errors with their texts in English.
func English(errs fault.FieldErrors) fault.FieldErrors {
	if errs == nil {
		return nil
	}
	spoken := make(fault.FieldErrors, len(errs))
	for name, e := range errs {
		spoken[name] = english(e)
	}
	return spoken
}

func english(errs any) any {
	switch errs := errs.(type) {
	case []say.Message:
		list := make([]say.Message, len(errs))
		for i, m := range errs {
			list[i] = say.Message(m.Error())
		}
		return list
	case fault.FieldErrors:
		return English(errs)
	case []fault.FieldErrors:
		rows := make([]fault.FieldErrors, len(errs))
		for i, row := range errs {
			rows[i] = English(row)
		}
		return rows
	}
	return errs
}
