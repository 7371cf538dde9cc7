// Package font has the faces of the PDFs that we make: Noto Sans, cut down to the letters of Latin and
// Cyrillic and the signs of contracts by `make fonts`. Each call returns bytes of the caller's own,
// because fpdf writes into those of a font when it cuts it down further.
package font

import (
	"bytes"
	_ "embed" // the fonts
)

//go:embed regular.ttf
var regular []byte

//go:embed bold.ttf
var bold []byte

//go:embed italic.ttf
var italic []byte

//go:embed bolditalic.ttf
var boldItalic []byte

// Regular is the plain face.
func Regular() []byte { return bytes.Clone(regular) }

// Bold is the bold face.
func Bold() []byte { return bytes.Clone(bold) }

// Italic is the italic face.
func Italic() []byte { return bytes.Clone(italic) }

// BoldItalic is the face that is both.
func BoldItalic() []byte { return bytes.Clone(boldItalic) }
