package column

import "github.com/tenantry/tenantry/shared/record/customfield"

// customPrefix is how the names of custom fields begin in the parameters of lists.
const customPrefix = "extra__"

// CustomPrefix is how the names of custom fields of a part of the records begin in the parameters of lists; "" is the records' own.
func CustomPrefix(part string) string {
	if part == "" {
		return customPrefix
	}
	return part + "__" + customPrefix
}

// Custom is a custom field of a part of the records as lists know it; false if lists are neither filtered nor ordered by it.
func Custom(d *customfield.Definition, part string) (f Field, ok bool) {
	c, ok := d.Column(part)
	if !ok {
		return Field{}, false
	}
	name := CustomPrefix(part) + d.Name
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

// Asked are the fields and the comparison that a parameter of a list asks for; of names, the longest one, as that may end like a
// comparison. There are several where the keys of one part define fields of one name and different types.
func Asked(fields []Field, param string) (asked []Field, by Comparison) {
	for _, other := range fields {
		for _, way := range other.Comparisons() {
			switch {
			case param != other.Name+string(way), len(asked) > 0 && len(other.Name) < len(asked[0].Name):
			case len(asked) > 0 && len(other.Name) == len(asked[0].Name):
				asked = append(asked, other)
			default:
				asked, by = []Field{other}, way
			}
		}
	}
	return asked, by
}
