package samtemplate

import (
	"fmt"
	"strconv"
	"strings"
)

// noValue stands for what !If leaves out.
const noValue = "AWS::NoValue"

// resolve returns a value with everything in it that refers to parameters and resources replaced.
func (t *Template) resolve(value any, values map[string]string) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			resolved, err := t.resolve(item, values)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			if resolved != nil {
				out[key] = resolved
			}
		}
		return out, nil
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			resolved, err := t.resolve(item, values)
			if err != nil {
				return nil, err
			}
			if resolved != nil {
				out = append(out, resolved)
			}
		}
		return out, nil
	case intrinsic:
		return t.call(v, values)
	}
	return value, nil
}

// text resolves a value that has to be a text.
func (t *Template) text(value any, values map[string]string) (string, error) {
	resolved, err := t.resolve(value, values)
	if err != nil {
		return "", err
	}
	s, ok := resolved.(string)
	if !ok {
		return "", fmt.Errorf("%T is no text", resolved)
	}
	return s, nil
}

func (t *Template) call(i intrinsic, values map[string]string) (any, error) {
	lookup := func(name string) (string, error) {
		if v, ok := values[name]; ok {
			return v, nil
		}
		if p, ok := t.parameters[name]; ok && p.given {
			return p.value, nil
		}
		return "", fmt.Errorf("nothing gives %s a value", name)
	}
	name, arguments := text(i.argument), list(i.argument)
	switch {
	case i.name == "Ref" && name == noValue:
		return nil, nil
	case (i.name == "Ref" || i.name == "GetAtt") && name != "":
		return lookup(name)
	case i.name == "Sub" && len(arguments) == 0:
		return substitute(name, lookup)
	case i.name == "Sub" && len(arguments) == 2:
		return t.substituteOwn(text(arguments[0]), object(arguments[1]), values, lookup)
	case i.name == "If" && len(arguments) == 3:
		holds, err := t.holds(text(arguments[0]), values)
		if err != nil {
			return nil, err
		}
		if holds {
			return t.resolve(arguments[1], values)
		}
		return t.resolve(arguments[2], values)
	case i.name == "Split" && len(arguments) == 2:
		whole, err := t.text(arguments[1], values)
		if err != nil {
			return nil, err
		}
		var parts []any
		for part := range strings.SplitSeq(whole, text(arguments[0])) {
			parts = append(parts, part)
		}
		return parts, nil
	case (i.name == "Select" || i.name == "Join") && len(arguments) == 2:
		resolved, err := t.resolve(arguments[1], values)
		if err != nil {
			return nil, err
		}
		if i.name == "Join" {
			return strings.Join(texts(resolved), text(arguments[0])), nil
		}
		items := list(resolved)
		at, err := strconv.Atoi(text(arguments[0]))
		if err != nil || at < 0 || at >= len(items) {
			return nil, fmt.Errorf("!Select of %v out of %d", arguments[0], len(items))
		}
		return items[at], nil
	}
	return nil, fmt.Errorf("!%s is not understood here", i.name)
}

// substituteOwn is a !Sub with names of its own.
func (t *Template) substituteOwn(
	s string, own map[string]any, values map[string]string, lookup func(string) (string, error),
) (string, error) {
	return substitute(s, func(name string) (string, error) {
		if value, ok := own[name]; ok {
			return t.text(value, values)
		}
		return lookup(name)
	})
}

// substitute replaces ${Name} and ${Name.Attribute}. ${!literal} becomes ${literal}.
func substitute(s string, lookup func(string) (string, error)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("!Sub without a closing brace: %q", s)
		}
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			out.WriteString("${" + literal + "}")
		} else {
			value, err := lookup(name)
			if err != nil {
				return "", err
			}
			out.WriteString(value)
		}
		s = after
	}
}
