// Package decode turns the body of a request into a typed value. It uses the conversions and
// error texts that clients of a Django REST Framework API know: numbers in strings are taken,
// strings are trimmed, and all wrong fields are named at once.
//
// What never goes in here: rules that need more than the value itself (does the record exist,
// may the caller do this). They belong to the group.
//
// A body is a struct of Optional fields. The fields of structs that it embeds are fields of the body too. Tags say the
// bounds, and the API description is generated from the same tags:
//
//	json       the field's name
//	required   "true": must be there on POST and PUT, not on PATCH
//	nullable   "true": null is a value
//	blank      "true": an empty text is a value
//	maxLength  of a text, in characters
//	minimum, maximum  of an integer, an amount or a duration (in seconds), as integers
//	maxItems   of a list
//	notEmpty   "true": a list has to have items
//	enum       the values allowed, comma-separated; a type that states its values
//	           (shared/enum) needs no tag, and doc may name them as {values}
//	anyCase    "true": their case does not matter, nor do underscores in them
//	format     of a text: email, uri, phone, iin, bin, iban, bik; the last five are
//	           written in their usual spelling (shared/decode/kz)
//	default    what a field that is left out at a create is, for the API description
//	pattern    a text must match it whole; patternMessage is the id of its
//	           message in the catalogue
//	doc        what it means, for the API description alone
//	example    a value that works, for the API description and the tests that
//	           send what it shows: a text as it is, any other value as JSON
//
// The other bounds of a list apply to its items. A value is a string, int64, moment.Seconds (sent as int64), bool,
// money.Amount, Date, Time, DateTime, Duration, uuid.UUID, JSON, File, another struct of
// Optional fields, or a list of one of these. A list of structs may be a list of Rows, which
// keep their own errors. The fields of a nested struct follow the same tags, and PATCH does
// not require its required fields either.
package decode
