// Package tree reads values of a document whose shape nobody has promised: maps, lists and texts, as a template or a policy is decoded.
//
// What any of it means never goes in here.
package tree

// Object returns a value of a document as maps are; it is empty if the value is something else.
func Object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// List returns a value of a document as lists are; it is empty if the value is something else.
func List(v any) []any {
	l, _ := v.([]any)
	return l
}

// Text returns a value of a document as texts are; it is empty if the value is something else.
func Text(v any) string {
	s, _ := v.(string)
	return s
}

// Texts returns a list of texts.
func Texts(v any) []string {
	var out []string
	for _, item := range List(v) {
		out = append(out, Text(item))
	}
	return out
}

// At returns the value below v that is found by following the keys.
func At(v any, keys ...string) any {
	for _, key := range keys {
		v = Object(v)[key]
	}
	return v
}
