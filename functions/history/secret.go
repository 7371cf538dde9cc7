package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/record/audit"
)

// conceal blanks a secret member of a list's elements ("signs.uuid") in entries: those that were written before it was a secret
// hold it.
func conceal(entries []audit.Entry, secret string) (err error) {
	list, member, _ := strings.Cut(secret, ".")
	if member == "" {
		return nil
	}
	for _, e := range entries {
		for i := range e.Changes {
			c := &e.Changes[i]
			if c.Field != list && !strings.HasPrefix(c.Field, list+".") {
				continue
			}
			if c.From, err = blank(c.From, member); err != nil {
				return err
			}
			if c.To, err = blank(c.To, member); err != nil {
				return err
			}
		}
	}
	return nil
}

// blank makes a member null in a value and in all that is within it.
func blank(value json.RawMessage, member string) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte(`"`+member+`"`)) {
		return value, nil
	}
	switch value[0] {
	case '{':
		var object map[string]json.RawMessage
		return within(value, &object, func() (err error) {
			for name := range object {
				if name == member {
					object[name] = json.RawMessage("null")
				} else if object[name], err = blank(object[name], member); err != nil {
					return err
				}
			}
			return nil
		})
	case '[':
		var list []json.RawMessage
		return within(value, &list, func() (err error) {
			for i := range list {
				if list[i], err = blank(list[i], member); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return value, nil
}

// within decodes a value, changes it and encodes it again.
func within(value json.RawMessage, into any, change func() error) (json.RawMessage, error) {
	if err := json.Unmarshal(value, into); err != nil {
		return nil, fmt.Errorf("history: a value that is secret in part: %w", err)
	}
	if err := change(); err != nil {
		return nil, err
	}
	return encode.JSON(into)
}
