package segment

import (
	"bytes"
	"iter"
)

// All are the rows of the segment, ascending by id.
func (s *Segment) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for row := range s.rows {
			if !yield(s.entry(row)) {
				return
			}
		}
	}
}

func (s *Segment) entry(row int) Entry {
	e := Entry{ID: s.ids.value(row), Changed: s.changed.value(row)}
	if s.gone.at(row) != 0 {
		e.Gone = true
		return e
	}
	e.Name = Decode(s.appendText(nil, &s.name, row))
	e.More = Decode(s.appendText(nil, &s.more, row))
	for i := range s.columns {
		c, v := &s.columns[i], s.columns[i].value(row)
		switch {
		case v == missing:
		case s.shape[i].Text:
			if e.Texts == nil {
				e.Texts = map[string]string{}
			}
			e.Texts[s.shape[i].Letter] = Decode(c.texts.at(int(v)))
		default:
			if e.Numbers == nil {
				e.Numbers = map[string]int64{}
			}
			e.Numbers[s.shape[i].Letter] = v
		}
	}
	return e
}

// appendText appends a text of a row, as it is stored.
func (s *Segment) appendText(out []byte, f *field, row int) []byte {
	if f.starts == nil {
		return out
	}
	for i := f.starts[row]; i < f.starts[row+1]; i++ {
		if i > f.starts[row] {
			out = append(out, ' ')
		}
		out = append(out, s.words.at(int(f.words.value(int(i))))...)
	}
	return out
}

// find is the first row whose id is not less than the given one, and whether it is this one.
func (s *Segment) find(id int64, from int) (row int, found bool) {
	to := s.rows
	for step := 1; from+step < to; step *= 2 { // rows that are asked for in their order are close to the one before
		if s.ids.value(from+step) >= id {
			to = from + step
			break
		}
	}
	for from < to {
		middle := int(uint(from+to) >> 1)
		if s.ids.value(middle) < id {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from, from < s.rows && s.ids.value(from) == id
}

// within are the rows whose ids are in a range: from first to before last.
func (s *Segment) within(ids Span) (first, last int) {
	first, _ = s.find(ids.Low, 0)
	last, found := s.find(ids.High, first)
	if found {
		last++
	}
	return first, last
}

// findName is the first position in the order by name whose name is not less than the given one, and whether it is this one.
func (s *Segment) findName(name []byte) (at int, found bool) {
	var buffer []byte
	return search(s.rows, name, func(i int) []byte {
		buffer = s.nameAt(buffer[:0], i)
		return buffer
	})
}

// nameAt appends the name at a position in the order by name.
func (s *Segment) nameAt(out []byte, at int) []byte {
	return s.appendText(out, &s.name, int(s.order.value(at)))
}

// column is the column of a letter, or nil if the segment has none of this type.
func (s *Segment) column(letter string, text bool) *column {
	if i := s.shape.column(letter); i >= 0 && s.shape[i].Text == text {
		return &s.columns[i]
	}
	return nil
}

// numbers are the values of a field of numbers; nil if the segment has none.
func (s *Segment) numbers(letter string) *numbers {
	if letter == ID {
		return &s.ids
	}
	if c := s.column(letter, false); c != nil {
		return &c.numbers
	}
	return nil
}

// wordAt is the number of the word at a position in the text of the list; it begins to look at a word before.
func (l *list) wordAt(position uint32, word int) int {
	step := 1
	for word+step < l.len() && l.starts[word+step] <= position {
		word += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if word+step < l.len() && l.starts[word+step] <= position {
			word += step
		}
	}
	return word
}

// prefixed are the texts that begin with the given one: from first to before last.
func (l *list) prefixed(text []byte) (first, last int) {
	first, _ = l.find(text)
	from, to := first, l.len()
	for from < to {
		middle := int(uint(from+to) >> 1)
		if bytes.HasPrefix(l.at(middle), text) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return first, from
}
