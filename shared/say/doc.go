// Package say holds what the platform says to people, in English, Russian and Kazakh.
//
// A text is a row of a file in catalogue/: an id, its parameters with their types, and the text in each language. From the rows
// come a constant or a function each (messages_gen.go), which make a Message. A Message is neutral: it is an id with the values
// of its parameters, and becomes a text where it leaves the platform, in the language of who reads it. So one is stored, compared
// and answered again under an Idempotency-Key without knowing who will read it.
//
// A new text is a new row and `go generate ./shared/say`. Names of programs, types of JSON and tables never go into a text, nor
// does what only a log should hold; what a text says to a program is the row's code, and its parameters.
package say

//go:generate go run ../../infra/phrases
