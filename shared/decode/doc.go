// Package decode turns the body of a request into a typed value, with the
// coercions and the error texts that clients of a Django REST Framework API
// know: numbers in strings, strings trimmed, every wrong field named at once.
//
// What never goes in here: a rule that needs anything but the value itself
// (does the record exist, may the caller). That is the group's.
//
// A body is a struct of Optional fields. Tags say the bounds, and the API
// description is generated from the same tags:
//
//	json       the field's name
//	required   "true": must be there on POST and PUT, not on PATCH
//	nullable   "true": null is a value
//	blank      "true": an empty text is a value
//	maxLength  of a text, in characters
//	minimum, maximum  of an integer, an amount or a duration (in seconds), as integers
//	maxItems   of a list
//	notEmpty   "true": a list has to have items
//	enum       the values allowed, comma-separated
//	anyCase    "true": their case does not matter, nor do underscores in them
//	format     of a text: email, uri, phone, iin, bin, iban, bik; the last five are
//	           written in their usual spelling (shared/decode/kz)
//	default    what a field that is left out at a create is, for the API description
//	pattern    a text must match it whole; patternMessage is the error
//	doc        what it means, for the API description alone
//	example    a value that works, for the API description and the tests that
//	           send what it shows: a text as it is, any other value as JSON
//
// The other bounds of a list are those of its items. A value is a string, int64,
// bool, money.Amount, Date, Time, DateTime, Duration, uuid.UUID, JSON, File,
// another struct of Optional fields, or a list of one of these; a list of structs
// may be one of Rows, which keep their errors. A struct's own fields follow the same tags; PATCH waives
// those required in it too.
package decode
