package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// keys are the condition keys that are known here, in lower case, and whether a request may have several values of one.
func keys() map[string]bool {
	return map[string]bool{
		principal:                 false,
		"aws:securetransport":     false,
		"dynamodb:leadingkeys":    true,
		"iam:passedtoservice":     false,
		"iam:permissionsboundary": false,
		functionARN:               false,
		"ses:fromaddress":         false,
	}
}

// principal is the condition key that has the ARN of the role which asks.
const principal = "aws:principalarn"

// functionARN is the condition key that has the ARN of the function which a queue or a stream is to call.
const functionARN = "lambda:functionarn"

// condition is one operator on one condition key. All conditions of a statement have to hold.
type condition struct {
	set      string // ForAllValues, ForAnyValue, or nothing
	operator string
	key      string // in lower case
	values   []string
}

func parseConditions(operators map[string]map[string]texts) (all []condition, err error) {
	for operator, of := range operators {
		for key, values := range of {
			c := condition{operator: operator, key: strings.ToLower(key), values: values}
			if set, rest, ok := strings.Cut(operator, ":"); ok {
				c.set, c.operator = set, rest
			}
			if err := c.check(); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", operator, key, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// check refuses a condition that is not known here. AWS takes an operator of sets on a key that has one value, and one without on a
// key that has several, and says that neither means anything.
func (c condition) check() error {
	several, known := keys()[c.key]
	switch {
	case !known:
		return errors.New("the condition key is not known here")
	case len(c.values) == 0:
		return errors.New("no value")
	case c.set != "" && c.set != "ForAllValues" && c.set != "ForAnyValue":
		return errors.New("the operator is not known here")
	}
	switch c.operator {
	case "ArnLike":
		if c.key != principal && c.key != functionARN || c.set != "" {
			return errors.New("it compares ARNs of roles and functions, one at a time")
		}
		return nil
	case "StringEquals", "StringLike":
		if several != (c.set != "") {
			return errors.New("ForAllValues or ForAnyValue belongs to a key with several values, and to no other")
		}
		return nil
	case "Bool", "Null":
		for _, value := range c.values {
			if value = strings.ToLower(value); value != "true" && value != "false" {
				return fmt.Errorf("%q is neither true nor false", value)
			}
		}
		if c.set != "" || several && c.operator == "Bool" || len(c.values) > 1 {
			return errors.New("it takes one value, of a key that has one")
		}
		return nil
	}
	return errors.New("the operator is not known here")
}

// holds tells whether a condition holds, and which values of a set have matched.
func (c condition) holds(context map[string][]string) (matched []string, ok bool) {
	var given []string
	for name, values := range context {
		if strings.ToLower(name) == c.key {
			given = values
		}
	}
	switch c.operator {
	case "Null":
		return nil, strings.EqualFold(c.values[0], "true") == (len(given) == 0)
	case "Bool":
		return nil, len(given) == 1 && strings.EqualFold(c.values[0], given[0])
	}
	found := 0
	for _, text := range given {
		before := len(matched)
		for _, value := range c.values {
			pattern, arn := c.operator == "StringLike", c.operator == "ArnLike"
			if text == value || (pattern || arn) && like(value, text, arn) {
				matched = append(matched, value)
			}
		}
		if len(matched) > before {
			found++
		}
	}
	slices.Sort(matched)
	matched = slices.Compact(matched)
	switch c.set {
	case "ForAllValues": // of no values, all match
		return matched, found == len(given)
	case "ForAnyValue":
		return matched, found > 0
	}
	return nil, found > 0
}

// Values returns the values of a statement's conditions on sets.
func (s Statement) Values() (all []string) {
	for _, c := range s.conditions {
		if c.set != "" {
			all = append(all, c.values...)
		}
	}
	return all
}

// Like tells whether a text has the form of a pattern, as StringLike does.
func Like(pattern, text string) bool { return like(pattern, text, false) }

// like tells whether a text has the form of a pattern: * stands for any characters, ? for one. In an ARN neither stands for a
// colon, but a * at the end of a segment may go on beyond it.
func like(pattern, text string, arn bool) bool {
	for pattern != "" {
		_, size := utf8.DecodeRuneInString(text)
		switch pattern[0] {
		case '*':
			rest := pattern[1:]
			beyond := !arn || rest == "" || rest[0] == ':'
			for at := 0; ; at++ {
				if like(rest, text[at:], arn) {
					return true
				}
				if at == len(text) || !beyond && text[at] == ':' {
					return false
				}
			}
		case '?':
			if text == "" || arn && text[0] == ':' {
				return false
			}
			pattern, text = pattern[1:], text[size:]
		default:
			if text == "" || text[0] != pattern[0] {
				return false
			}
			pattern, text = pattern[1:], text[1:]
		}
	}
	return text == ""
}
