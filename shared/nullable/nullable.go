// Package nullable is for values that may be null: the pointers that stand for them in records and bodies.
package nullable

// Same tells whether two values are the same, or both null.
func Same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
