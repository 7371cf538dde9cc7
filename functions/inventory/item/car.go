package item

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tenantry/tenantry/shared/kinds"
	"github.com/tenantry/tenantry/shared/outbox"
	"github.com/tenantry/tenantry/shared/record"
	"github.com/tenantry/tenantry/shared/record/bulk"
	"github.com/tenantry/tenantry/shared/record/unique"
	"github.com/tenantry/tenantry/shared/table"
)

// Plate returns the number of a car, or of its tech passport, as it is compared: without spaces and
// invisible characters, in capitals, full-width letters as plain ones, and Cyrillic letters that look
// like Latin ones as these. The number of a car is also kept so.
func Plate(number string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		if latin, ok := lookAlike(r); ok {
			return latin
		}
		return r
	}, strings.ToUpper(norm.NFKC.String(number)))
}

// Cyrillic capitals, and the Latin ones that they look like. Those from the 13th on are rare on plates.
const (
	cyrillicLetters = "АВЕКМНОРСТУХІЅЈҮҺ"
	latinLetters    = "ABEKMHOPCTYXISJYH"
)

// lookAlike returns the Latin capital that a Cyrillic one looks like.
func lookAlike(r rune) (latin rune, ok bool) {
	i := 0
	for _, c := range cyrillicLetters {
		if c == r {
			return rune(latinLetters[i]), true
		}
		i++
	}
	return r, false
}

// inCyrillic returns a number in Cyrillic letters, so that somebody who types these finds it. It returns nil for
// a number without letters, and for one with a letter that no Cyrillic one looks like.
func inCyrillic(plate string) *string {
	letters, whole := 0, true
	text := strings.Map(func(r rune) rune {
		if at := strings.IndexRune(latinLetters, r); at >= 0 {
			letters++
			return []rune(cyrillicLetters)[at]
		}
		whole = whole && (r < 'A' || r > 'Z')
		return r
	}, plate)
	if letters == 0 || !whole {
		return nil
	}
	return &text
}

// Plate returns the number of the item's car in the form that Plate gives it. An item without a car, or a car
// without a number, has an empty one.
func (it *Item) Plate() string {
	if it.Car == nil || it.Car.Number == nil {
		return ""
	}
	return Plate(*it.Car.Number)
}

// Passport returns the number of the tech passport of the item's car, in the same form; empty if it is not known.
func (it *Item) Passport() string {
	if it.Car == nil || it.Car.TechPassport == nil {
		return ""
	}
	return Plate(*it.Car.TechPassport)
}

// Mark is a number in a form that keys can hold and that has one length. Different numbers may have
// one mark, so whoever finds a record by it has to compare the numbers.
func Mark(number string) string {
	if number == "" {
		return strings.Repeat("0", markLength)
	}
	sum := sha256.Sum256([]byte(number))
	return hex.EncodeToString(sum[:])[:markLength]
}

const markLength = 12

// below puts cars below their tech passport in the index of children, because passports are not unique.
func below(it *Item) record.Child {
	if it.Passport() == "" {
		return record.Child{}
	}
	return record.Child{Of: kinds.Inventory, At: Mark(it.Passport())}
}

// PlateKey returns the key of what ByPlate reads, for callers that read several items at once.
func PlateKey(t *table.Tenant, number string) table.Key { return plateOf(number).Key(t) }

func plateOf(number string) unique.Value {
	return unique.Value{Kind: kinds.Inventory, Name: "number", Value: number}
}

// ByPlate returns the id of the active item with the number of a car, as Plate writes it; 0 if there is
// none, or if the import that makes it is not committed yet.
func ByPlate(ctx context.Context, w *record.Work, number string) (int64, error) {
	s := w.Scope()
	reservation, err := w.Item(ctx, PlateKey(s.Table, number))
	if err != nil || reservation.Int(bulk.Import) == 0 {
		return unique.Owner(reservation), err
	}
	found, err := unique.Peek(ctx, s.Table, []unique.Value{plateOf(number)}, s.Now())
	if err != nil || len(found.Owners) == 0 {
		return 0, err
	}
	return found.Owners[0], nil
}

// ByPassport returns the items that may have a tech passport, as Plate writes it. The index lags behind by about
// a second, so the caller has to compare the items that it reads.
func ByPassport(ctx context.Context, s record.Scope, number string) (ids []int64, err error) {
	mark := Mark(number)
	places, err := Kind().Places(ctx, s, kinds.Inventory, 0, record.Span{From: mark, To: mark})
	for _, p := range places {
		ids = append(ids, p.ID)
	}
	return ids, err
}

// Identified is the kind of message that a car has got another number or tech passport, or has ceased to have
// one, or that cars were imported. Its key is an Identity. Penalties find their cars again then.
const Identified outbox.Kind = "penalties.car"

// Identity says by what a car can be found since a change, or could be before. Item is 0 for an import.
type Identity struct {
	Item      int64
	Plates    []string // marks
	Passports []string // marks
}

// Key is the identity as the key of a message.
func (i Identity) Key() string {
	return fmt.Sprintf("%d:%s:%s", i.Item, strings.Join(i.Plates, ","), strings.Join(i.Passports, ","))
}

// ParseIdentity reads the key of a message.
func ParseIdentity(key string) (i Identity, err error) {
	parts := strings.Split(key, ":")
	if len(parts) != 3 {
		return i, fmt.Errorf("item: %q is no identity of a car", key)
	}
	list := func(text string) []string { return strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) }
	i.Plates, i.Passports = list(parts[1]), list(parts[2])
	if i.Item, err = strconv.ParseInt(parts[0], 10, 64); err != nil {
		return i, fmt.Errorf("item: %q is no identity of a car: %w", key, err)
	}
	return i, nil
}

// known is by what a car can be found.
type known struct {
	active          bool
	plate, passport string
}

func knownOf(it *Item) known {
	if it == nil || it.Car == nil {
		return known{}
	}
	k := known{plate: it.Plate(), passport: it.Passport()}
	k.active = k.plate != "" && it.IsActive() // only the number depends on it
	return k
}

// tells returns the message that a write of an item leaves.
func tells(before, after *Item) []record.Message {
	was, is := knownOf(before), knownOf(after)
	if was == is {
		return nil
	}
	i := Identity{Item: record.ID(cmp.Or(after, before)), Plates: marks(was.plate, is.plate), Passports: marks(was.passport, is.passport)}
	return []record.Message{{Kind: Identified, Key: i.Key()}}
}

// tellsImport returns the message that an import of items leaves.
func tellsImport(items []*Item) []record.Message {
	for _, it := range items {
		if knownOf(it) != (known{}) {
			return []record.Message{{Kind: Identified, Key: Identity{}.Key()}}
		}
	}
	return nil
}

// marks returns the marks of two numbers, each once. An empty number has no mark.
func marks(a, b string) (list []string) {
	for _, number := range []string{a, b} {
		if m := Mark(number); number != "" && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}
