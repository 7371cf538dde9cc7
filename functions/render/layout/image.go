package layout

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"

	"github.com/tenantry/tenantry/functions/render/job"
	"github.com/tenantry/tenantry/shared/say"
)

// picture is an image that is ready for the PDF: an opaque one of three or one colours.
type picture struct {
	name          string // of its bytes
	kind          string // as fpdf names it
	data          []byte
	width, height int // pixels, as it is shown
	turn          int // degrees to the right by which it is shown turned
}

// images are the pictures of a document, each once.
type images struct {
	known map[string]*picture // by their addresses' SHA-256
	bytes int
}

func bad(text say.Message) error { return job.Refuse(job.BadImage, text) }

// get reads a data URI. Nothing else is ever read: another address is no image.
func (m *images) get(ctx context.Context, src string) (*picture, error) {
	if !strings.HasPrefix(src, "data:") {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(src))
	name := hex.EncodeToString(sum[:])
	if pic := m.known[name]; pic != nil {
		return pic, nil
	}
	kind, encoded, _ := strings.Cut(strings.TrimPrefix(src, "data:"), ",")
	if m.bytes+base64.StdEncoding.DecodedLen(len(encoded)) > job.MostImages+2 {
		return nil, job.Refuse(job.TooLarge, say.PrintImagesAbove5Mb)
	}
	data, err := base64.StdEncoding.DecodeString(strings.Map(noSpace, encoded))
	if err != nil {
		return nil, bad(say.PrintImageNotDecoded)
	}
	m.bytes += len(data)
	var pic *picture
	switch kind {
	case "image/png;base64":
		pic, err = readPNG(data)
	case "image/jpeg;base64", "image/jpg;base64":
		pic, err = readJPEG(data)
	default:
		err = bad(say.PrintImageKind)
	}
	if err != nil {
		return nil, err
	}
	pic.name = name
	m.known[name] = pic
	return pic, nil
}

func noSpace(r rune) rune {
	if isSpace(r) {
		return -1
	}
	return r
}

// mostDecoded is how much memory the pixels of one image may take.
const mostDecoded = 4 * job.MostPixels

func tooMany(width, height int) bool {
	return width < 1 || height < 1 || width > job.MostPixels || height > job.MostPixels || width*height > job.MostPixels
}

// readPNG decodes a PNG, puts it on white, and encodes it in the plainest way.
func readPNG(data []byte) (*picture, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, bad(say.PrintPngUnreadable)
	}
	if tooMany(config.Width, config.Height) {
		return nil, bad(say.PrintImageTooManyPixels)
	}
	if deep(config.ColorModel) && config.Width*config.Height*8 > mostDecoded {
		return nil, bad(say.PrintPngTooDeep)
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, bad(say.PrintPngUnreadable)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, flat(decoded)); err != nil {
		return nil, bad(say.PrintPngUnreadable)
	}
	return &picture{kind: "png", data: out.Bytes(), width: config.Width, height: config.Height}, nil
}

func deep(m color.Model) bool {
	return m == color.RGBA64Model || m == color.NRGBA64Model || m == color.Gray16Model
}

// flat is an image on white, without transparency.
func flat(m image.Image) image.Image {
	switch m := m.(type) {
	case *image.Gray, *image.RGBA: // as Go reads PNGs without transparency
		return m
	case *image.Paletted:
		for i, c := range m.Palette {
			r, g, b, a := c.RGBA()
			m.Palette[i] = onWhite(r, g, b, a)
		}
		return m
	case *image.NRGBA:
		for i := 0; i+3 < len(m.Pix); i += 4 {
			if a := uint32(m.Pix[i+3]); a < 255 {
				for k := range 3 {
					m.Pix[i+k] = uint8((uint32(m.Pix[i+k])*a + 255*(255-a)) / 255)
				}
				m.Pix[i+3] = 255
			}
		}
		return m
	case image.RGBA64Image: // of 16 bits
		out := image.NewRGBA(m.Bounds())
		for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
			for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
				c := m.RGBA64At(x, y)
				out.SetRGBA(x, y, onWhite(uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A)))
			}
		}
		return out
	}
	return m
}

// onWhite is a colour, of 16 bits and multiplied by its alpha, on white.
func onWhite(r, g, b, a uint32) color.RGBA {
	return color.RGBA{uint8((r + 0xffff - a) >> 8), uint8((g + 0xffff - a) >> 8), uint8((b + 0xffff - a) >> 8), 255}
}

// readJPEG looks through a JPEG, which goes into the PDF as it is. It isn't decoded: a progressive one of
// 20 megapixels takes a quarter of a gigabyte.
func readJPEG(data []byte) (*picture, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, bad(say.PrintJpegUnreadable)
	}
	if tooMany(config.Width, config.Height) {
		return nil, bad(say.PrintImageTooManyPixels)
	}
	if config.ColorModel != color.GrayModel && config.ColorModel != color.YCbCrModel {
		return nil, bad(say.PrintJpegColours)
	}
	end := bytes.LastIndex(data, []byte{0xff, 0xd9})
	if end < 0 || !whole(data) {
		return nil, bad(say.PrintJpegNotWhole)
	}
	pic := &picture{kind: "jpg", data: data[:end+2], width: config.Width, height: config.Height, turn: orientation(data)}
	if pic.turn == 90 || pic.turn == 270 {
		pic.width, pic.height = pic.height, pic.width
	}
	return pic, nil
}

// whole tells whether the segments of a JPEG lie one after the other up to its pixels.
func whole(data []byte) bool {
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xff {
			return false
		}
		if data[at+1] == 0xff {
			at++
			continue
		}
		if data[at+1] == 0xda {
			return true
		}
		at += 2 + int(data[at+2])<<8 + int(data[at+3])
	}
	return false
}

// orientation is how a JPEG says that it has to be turned to be shown, by the tag of its EXIF data.
// Mirrored ones are left as they are.
func orientation(data []byte) int {
	const tag = 0x0112
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != 0xda; {
		size := int(data[at+2])<<8 + int(data[at+3])
		if at+2+size > len(data) || size < 2 {
			return 0
		}
		segment := data[at+4 : at+2+size]
		if data[at+1] == 0xe1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
			return turned(exifValue(segment[6:], tag))
		}
		at += 2 + size
	}
	return 0
}

func turned(value int) int {
	switch value {
	case 3:
		return 180
	case 6:
		return 90
	case 8:
		return 270
	}
	return 0
}

// exifValue is a short number in the first directory of EXIF data.
func exifValue(tiff []byte, tag int) int {
	if len(tiff) < 8 {
		return 0
	}
	little := tiff[0] == 'I'
	short := func(at int) int {
		if at < 0 || at+2 > len(tiff) {
			return 0
		}
		if little {
			return int(tiff[at]) | int(tiff[at+1])<<8
		}
		return int(tiff[at])<<8 | int(tiff[at+1])
	}
	long := func(at int) int {
		if little {
			return short(at) | short(at+2)<<16
		}
		return short(at)<<16 | short(at+2)
	}
	at := long(4)
	if at < 0 || at > len(tiff) {
		return 0
	}
	for i := range short(at) {
		if entry := at + 2 + 12*i; short(entry) == tag {
			return short(entry + 8)
		}
	}
	return 0
}
