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
//	minimum, maximum  of an integer
//	enum       the values allowed, comma-separated
//	format     email, uri, uuid
//	pattern    a text must match it whole; patternMessage is the error
//	doc        what it means, for the API description alone
//
// The bounds of a list are those of its items. A value is a string, int64,
// bool, uuid.UUID, JSON, File, another struct of Optional fields, or a list of
// one of these.
package decode
