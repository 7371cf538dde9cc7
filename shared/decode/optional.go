package decode

// Optional is a field of a body: absent, null, or a value.
type Optional[T any] struct {
	Set   bool // it was in the body
	Null  bool // it was null
	Value T
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: v} }

// Or returns the value that was sent. If the field is null or was not sent, it returns other.
func (o Optional[T]) Or(other T) T {
	if o.Set && !o.Null {
		return o.Value
	}
	return other
}

// Into writes the value to dst where the field was sent and is not null.
func (o Optional[T]) Into(dst *T) {
	if o.Set && !o.Null {
		*dst = o.Value
	}
}

// IntoNullable writes what was sent to dst, with nil for null.
func (o Optional[T]) IntoNullable(dst **T) {
	switch {
	case !o.Set:
	case o.Null:
		*dst = nil
	default:
		v := o.Value
		*dst = &v
	}
}

// JSON is any JSON value, as it was sent.
type JSON []byte

// MarshalJSON returns the value as it was sent. An empty value becomes null.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// File is a file field: a uri in JSON, the bytes themselves in multipart.
type File struct {
	URI         string
	Name        string
	ContentType string
	Data        []byte
}
