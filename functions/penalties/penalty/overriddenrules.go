package penalty

import (
	"slices"

	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/money"
	"github.com/tenantry/tenantry/shared/nullable"
)

// Overridden is what the registry last said, in those fields of a penalty that the staff has changed
// since.
type Overridden struct {
	Of []string `dynamo:"of"` // the letters of these fields; all others of Fields are empty
	Fields
}

// Feed applies a row of the registry: it writes those fields that differ from the registry's
// last row, and leaves all others as they are now.
func (p *Penalty) Feed(apply func(f *Fields)) {
	was := p.Fields // what the registry said last
	if p.Overridden != nil {
		for _, f := range fields() {
			if slices.Contains(p.Overridden.Of, f.letter) {
				f.copy(&was, &p.Overridden.Fields)
			}
		}
	}
	now := was
	apply(&now)
	var fed Overridden
	for _, f := range fields() {
		switch {
		case !f.same(&was, &now):
			f.copy(&p.Fields, &now)
		case !f.same(&now, &p.Fields):
			fed.keep(f, &now)
		}
	}
	p.setOverridden(fed)
}

// RememberOverridden remembers what the registry said last in the fields that the staff is changing. before is
// the penalty as it was.
func (p *Penalty) RememberOverridden(before *Penalty) {
	if p.OuterID == nil {
		return // it can't be sent again
	}
	var fed Overridden
	for _, f := range fields() {
		said := &before.Fields
		if before.Overridden != nil && slices.Contains(before.Overridden.Of, f.letter) {
			said = &before.Overridden.Fields
		}
		if !f.same(said, &p.Fields) {
			fed.keep(f, said)
		}
	}
	p.setOverridden(fed)
}

func (f *Overridden) keep(one field, from *Fields) {
	f.Of = append(f.Of, one.letter)
	one.copy(&f.Fields, from)
}

func (p *Penalty) setOverridden(fed Overridden) {
	p.Overridden = nil
	if len(fed.Of) > 0 {
		p.Overridden = &fed
	}
}

// field is one of Fields.
type field struct {
	letter string // as it is stored
	same   func(a, b *Fields) bool
	copy   func(to, from *Fields)
}

func fieldOf[T any](letter string, at func(f *Fields) *T, same func(a, b T) bool) field {
	return field{
		letter: letter,
		same:   func(a, b *Fields) bool { return same(*at(a), *at(b)) },
		copy:   func(to, from *Fields) { *at(to) = *at(from) },
	}
}

func equal[T comparable](a, b T) bool { return a == b }

func equalAmounts(a, b *money.Amount) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Cmp(*b) == 0
}

// fields has an entry for each of Fields; a new one belongs here too.
func fields() []field {
	texts := func(letter string, at func(f *Fields) **string) field {
		return fieldOf(letter, at, nullable.Same[string])
	}
	return []field{
		fieldOf("n", func(f *Fields) *string { return &f.Protocol }, equal[string]),
		texts("de", func(f *Fields) **string { return &f.Description }),
		texts("dp", func(f *Fields) **string { return &f.Department }),
		texts("pm", func(f *Fields) **string { return &f.Punishment }),
		fieldOf("am", func(f *Fields) **money.Amount { return &f.Amount }, equalAmounts),
		texts("ad", func(f *Fields) **string { return &f.Address }),
		fieldOf("vd", func(f *Fields) **decode.Date { return &f.Date }, nullable.Same[decode.Date]),
		fieldOf("vt", func(f *Fields) **decode.Time { return &f.Time }, nullable.Same[decode.Time]),
		fieldOf("pa", func(f *Fields) *bool { return &f.Paid }, equal[bool]),
		fieldOf("pt", func(f *Fields) **moment.Micros { return &f.PaymentDate }, nullable.Same[moment.Micros]),
		fieldOf("du", func(f *Fields) **moment.Micros { return &f.DiscountEnds }, nullable.Same[moment.Micros]),
		texts("kno", func(f *Fields) **string { return &f.KNO }),
		texts("kbk", func(f *Fields) **string { return &f.KBK }),
		texts("knp", func(f *Fields) **string { return &f.KNP }),
		texts("to", func(f *Fields) **string { return &f.TaxOffice }),
		texts("ti", func(f *Fields) **string { return &f.TaxIBAN }),
		texts("tb", func(f *Fields) **string { return &f.TaxBIN }),
		texts("pf", func(f *Fields) **string { return &f.PDF }),
		fieldOf("ph", func(f *Fields) *[]string { return &f.Photos }, slices.Equal[[]string]),
		fieldOf("st", func(f *Fields) **int64 { return &f.State }, nullable.Same[int64]),
		fieldOf("no", func(f *Fields) *bool { return &f.Noted }, equal[bool]),
	}
}
