package column

import "github.com/tenantry/tenantry/shared/record/customfield"

// CustomPrefix is how the names of custom fields begin in the parameters of lists.
const CustomPrefix = "extra__"

// Custom is a custom field as lists know it; false if lists are neither filtered nor ordered by it.
func Custom(d *customfield.Definition) (f Field, ok bool) {
	c, ok := d.Column()
	if !ok {
		return Field{}, false
	}
	name := CustomPrefix + d.Name
	switch d.Class() {
	case customfield.ClassInteger:
		f = integer(name, c.Letter)
	case customfield.ClassDecimal:
		f = amount(name, c.Letter)
	case customfield.ClassBoolean:
		f = flag(name, c.Letter)
	case customfield.ClassDate:
		f = day(name, c.Letter)
	case customfield.ClassTime:
		f = OfMoment(name, c.Letter)
	default:
		f = ofText(name, c.Letter)
	}
	return f, true
}

// Asked is the field and the comparison that a parameter of a list asks for; of two, that of the longer name, as that may end like a
// comparison.
func Asked(fields []Field, param string) (f Field, by Comparison, ok bool) {
	for _, other := range fields {
		for _, way := range other.Comparisons() {
			if param == other.Name+string(way) && len(other.Name) > len(f.Name) {
				f, by, ok = other, way, true
			}
		}
	}
	return f, by, ok
}
