package pdf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Update is what is to be appended to a file: new objects, and objects in the place of older ones.
type Update struct {
	file    *File
	next    int
	objects map[int]object
}

type object struct {
	generation int
	value      Value
	written    []byte // instead of a value
}

// Update begins an update of the file.
func (f *File) Update() *Update {
	u := &Update{file: f, objects: map[int]object{}}
	for number := range f.entries {
		u.next = max(u.next, number+1)
	}
	if size, ok := f.Trailer["Size"].(Raw); ok {
		if n, ok := size.Int(); ok && n <= maxObjects {
			u.next = max(u.next, n)
		}
	}
	return u
}

// Reserve returns a reference to an object that is set later.
func (u *Update) Reserve() Ref {
	u.next++
	return Ref{Number: u.next - 1}
}

// Add adds an object.
func (u *Update) Add(v Value) Ref {
	r := u.Reserve()
	u.Set(r, v)
	return r
}

// Set says what an object is, or is from now on.
func (u *Update) Set(r Ref, v Value) {
	u.objects[r.Number] = object{generation: r.Generation, value: v}
}

// SetWritten is Set for an object of which the caller knows where each of its bytes stands.
func (u *Update) SetWritten(r Ref, written []byte) {
	u.objects[r.Number] = object{generation: r.Generation, written: written}
}

// Append returns the file with the update behind it. For each object that was set written, at says
// where its bytes begin.
func (u *Update) Append(id [2]Raw) (whole []byte, at map[Ref]int) {
	var b bytes.Buffer
	b.Grow(len(u.file.Data) + 1<<18)
	b.Write(u.file.Data)
	b.WriteByte('\n')
	at = map[Ref]int{}
	numbers := slices.Sorted(maps.Keys(u.objects))
	begin := make(map[int]int, len(numbers))
	for _, number := range numbers {
		o := u.objects[number]
		begin[number] = b.Len()
		fmt.Fprintf(&b, "%d %d obj\n", number, o.generation)
		if o.written != nil {
			at[Ref{Number: number, Generation: o.generation}] = b.Len()
			b.Write(o.written)
		} else {
			write(&b, o.value)
		}
		b.WriteString("\nendobj\n")
	}
	table := b.Len()
	b.WriteString("xref\n")
	for i := 0; i < len(numbers); {
		n := 1
		for i+n < len(numbers) && numbers[i+n] == numbers[i]+n {
			n++
		}
		fmt.Fprintf(&b, "%d %d\n", numbers[i], n)
		for _, number := range numbers[i : i+n] {
			fmt.Fprintf(&b, "%010d %05d n \n", begin[number], u.objects[number].generation)
		}
		i += n
	}
	trailer := Dict{
		"Size": Int(u.next), "Prev": Int(u.file.Table), "Root": u.file.Trailer["Root"],
		"ID": Array{id[0], id[1]},
	}
	if info := u.file.Trailer["Info"]; info != nil {
		trailer["Info"] = info
	}
	b.WriteString("trailer\n")
	write(&b, trailer)
	fmt.Fprintf(&b, "\nstartxref\n%d\n%%%%EOF\n", table)
	return b.Bytes(), at
}
