package decode

import "reflect"

// Outline returns the objects and the lists of objects of a parsed body, as far as its
// type has them. The errors of a body have the same shape. Free JSON and lists of scalars
// are left out, whatever a caller put into them.
func Outline(t reflect.Type, tree any) map[string]any {
	object, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	outline := map[string]any{}
	for _, f := range Describe(t) {
		switch value := object[f.Name].(type) {
		case map[string]any:
			if f.Type.Kind() == reflect.Struct && !isScalar(f.Type) {
				outline[f.Name] = Outline(f.Type, value)
			}
		case []any:
			if f.Type.Kind() == reflect.Slice && !isScalar(f.Type) && !isScalar(f.Type.Elem()) {
				rows := make([]any, len(value))
				for i, row := range value {
					if row, ok := row.(map[string]any); ok {
						rows[i] = Outline(f.Type.Elem(), row)
					}
				}
				outline[f.Name] = rows
			}
		}
	}
	return outline
}
