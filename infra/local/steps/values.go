package steps

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Values are what texts of steps may name.
type Values map[string]any

var name = regexp.MustCompile(`\$\{([^}]*)\}`)

// Text puts values in the place of their names.
func (v Values) Text(text string) (string, error) {
	var unknown []string
	filled := name.ReplaceAllStringFunc(text, func(found string) string {
		value, _ := v.value(found[2 : len(found)-1])
		if value == nil {
			unknown = append(unknown, found)
		}
		return fmt.Sprint(value)
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("nothing here is called %s", strings.Join(unknown, ", "))
	}
	return filled, nil
}

// Fill puts values in the place of their names, in all texts of a tree. A text that is nothing but a name becomes the value itself.
func (v Values) Fill(tree any) (any, error) {
	switch tree := tree.(type) {
	case string:
		if found := name.FindStringSubmatch(tree); found != nil && found[0] == tree {
			if value, known := v.value(found[1]); known {
				return value, nil
			}
		}
		return v.Text(tree)
	case map[string]any:
		filled := map[string]any{}
		for key, value := range tree {
			var err error
			if key, err = v.Text(key); err != nil {
				return nil, err
			}
			if filled[key], err = v.Fill(value); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case []any:
		filled := make([]any, len(tree))
		for i, value := range tree {
			var err error
			if filled[i], err = v.Fill(value); err != nil {
				return nil, err
			}
		}
		return filled, nil
	}
	return tree, nil
}

// value is what a name stands for: a time, a value, a part of one, or its text. A part that a value doesn't have is known to be nothing.
func (v Values) value(name string) (value any, known bool) {
	if now, ok := v["now"].(time.Time); ok && moments.MatchString(name) {
		return moment(now, moments.FindStringSubmatch(name)), true
	}
	if value, known = v[name]; known {
		return value, true
	}
	if of, text := strings.CutPrefix(name, "text "); text && v[of] != nil {
		return fmt.Sprint(v[of]), true
	}
	first, path, _ := strings.Cut(name, ".")
	return at(v[first], path), v[first] != nil
}

// moments is what times are called: now-2h, now+3d 09:00, date-1d.
var moments = regexp.MustCompile(`^(now|date)(?:([+-]\d+)d|([+-]\d+[hm]))?(?: (\d\d):(\d\d))?$`)

func moment(now time.Time, part []string) string {
	number := func(text string) int {
		n, _ := strconv.Atoi(text) // digits, or nothing
		return n
	}
	length, _ := time.ParseDuration(part[3])
	then := now.AddDate(0, 0, number(part[2])).Add(length)
	if part[4] != "" {
		then = time.Date(then.Year(), then.Month(), then.Day(), number(part[4]), number(part[5]), 0, 0, then.Location())
	}
	if part[1] == "date" {
		return then.Format(time.DateOnly)
	}
	return then.UTC().Format(time.RFC3339)
}

// Names lists the values that a step names, times aside.
func (s Step) Names() (names []string) {
	texts := fmt.Sprint(s.As, s.Request, s.At, s.Headers, s.Body, s.Answered, s.Answer, s.Each)
	for _, found := range name.FindAllStringSubmatch(texts, -1) {
		if of := strings.TrimPrefix(found[1], "text "); !moments.MatchString(of) {
			names = append(names, of)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Tree reads a value. Its numbers stay as they are written, as they do in JSON.
func Tree(n *yaml.Node) (any, error) {
	switch n.Kind {
	case 0:
		return nil, nil
	case yaml.MappingNode:
		object, own := map[string]any{}, map[string]bool{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			value, err := Tree(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			usual, isRecord := value.(map[string]any)
			switch merged := key.ShortTag() == "!!merge"; {
			case merged && !isRecord, !merged && own[key.Value]:
				return nil, fmt.Errorf("line %d: %s is no record, or stands twice", key.Line, key.Value)
			case merged:
				for name, value := range usual {
					if !own[name] { // what is the record's own stays
						object[name] = value
					}
				}
			default:
				object[key.Value], own[key.Value] = value, true
			}
		}
		return object, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			value, err := Tree(item)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!null":
			return nil, nil
		case "!!bool":
			return strings.EqualFold(n.Value, "true"), nil
		case "!!int", "!!float":
			return json.Number(n.Value), nil
		}
		return n.Value, nil
	case yaml.AliasNode:
		return Tree(n.Alias)
	default:
		return nil, fmt.Errorf("line %d: no value", n.Line)
	}
}
