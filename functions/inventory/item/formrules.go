package item

import (
	"regexp"
	"strings"
)

// Plates of cars in Kazakhstan, as Plate writes them: those since 2012 of a person, 123ABC02, and of a company, 123AB02, with the
// number of the region; those before, A123ABC and A123AB, with its letter.
var plates = regexp.MustCompile(`^([0-9]{3}[A-Z]{2,3}[0-9]{2}|[A-Z][0-9]{3}[A-Z]{2,3})$`)

// UsualPlate tells whether a plate has a form that is usual in Kazakhstan. Others, such as those of other countries and of
// diplomats, exist too.
func UsualPlate(plate string) bool { return plates.MatchString(plate) }

// ISO 3779: digits and capitals that can't be taken for digits. The check digit is one in North America only.
var vins = regexp.MustCompile(`^[0-9A-HJ-NPR-Z]{17}$`)

// UsualVIN tells whether a vehicle identification number has the usual form. Old vehicles have others.
func UsualVIN(vin string) bool { return vins.MatchString(strings.ToUpper(strings.TrimSpace(vin))) }
