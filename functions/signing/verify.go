package signing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/shared/decode"
	"github.com/tenantry/tenantry/shared/encode"
	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
	"github.com/tenantry/tenantry/shared/table/throttle"
	"github.com/tenantry/tenantry/shared/web"
)

func (s *service) verifyOperations() []web.Operation {
	const path = "/v2/documents/verify/"
	return []web.Operation{
		web.Op(web.Operation{
			ID: "verify-hash", Method: http.MethodGet, Path: path, Access: web.Public, Faults: []fault.Code{fault.Invalid, fault.Throttled},
			Summary: "Look up a SHA-256",
			Doc: "Whether it is that of a sealed document, or of the original of one; names are not told. A result with `kind` sealed " +
				"means that the file is whole and unchanged.",
		}, s.verifyHash),
		web.Op(web.Operation{
			ID: "verify-file", Method: http.MethodPost, Path: path, Access: web.Public, Media: []string{
				decode.TypeJSON,
				decode.TypeMultipart,
			}, Large: true,
			Faults: []fault.Code{fault.Throttled}, Summary: "Verify a file",
			Doc: "In multipart the file itself, of at most 4 MB, or its SHA-256. The file is not kept.",
		}, s.verifyFile),
	}
}

type hashInput struct {
	SHA256 string `query:"sha256" doc:"Of the file, in hexadecimal."`
}

type verifyInput struct {
	Body struct {
		File   decode.Optional[decode.File] `json:"file" doc:"In multipart only."`
		SHA256 decode.Optional[string]      `json:"sha256" maxLength:"64" example:"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" doc:"Of the file, in hexadecimal."`
	}
}

// Verified is what is known about a file.
type Verified struct {
	SHA256  string   `json:"sha256" doc:"Of the file, in hexadecimal."`
	Found   bool     `json:"found"`
	Results []Result `json:"results" doc:"Each document that it is the sealed file, or the original, of: the first twenty, the oldest first."`
}

// Result is a sealed document.
type Result struct {
	Kind     string `json:"kind" enum:"sealed,original" doc:"What of the document the file is."`
	Whole    bool   `json:"whole" doc:"It is the sealed file, with nothing changed or added."`
	SealedAt string `json:"sealed_at" format:"date-time"`
	Level    string `json:"level" enum:"B-B,B-T" doc:"Of the PAdES signature; B-T has a time stamp."`
	// Withdrawn does not change what the seal proves.
	Withdrawn *string `json:"withdrawn" nullable:"true" format:"date-time" doc:"When the company withdrew the document; the seal holds as before."`
	// Erased results have nothing else that was known of the document.
	Erased   bool     `json:"erased" doc:"The company was erased since, and with it all else that was known: the signs, their methods and the original are null then."`
	Signs    *int     `json:"signs" nullable:"true" doc:"How many have signed."`
	Methods  *Methods `json:"methods"`
	Original *string  `json:"original" nullable:"true" doc:"SHA-256 of what was signed, in hexadecimal."`
	Sealed   string   `json:"sealed" doc:"SHA-256 of the sealed file, in hexadecimal."`
}

// Methods is how many have signed by each method.
type Methods struct {
	Manual int `json:"manual"`
	SMS    int `json:"sms"`
	EGov   int `json:"egov"`
}

// perCaller is how many files a caller may have verified.
func perCaller() throttle.Rule {
	return throttle.Rule{Name: "verify", Limit: 120, Window: time.Minute}
}

func (s *service) verifyHash(ctx context.Context, r *web.Request, in *hashInput) (Verified, error) {
	return s.verify(ctx, r, in.SHA256, nil)
}

func (s *service) verifyFile(ctx context.Context, r *web.Request, in *verifyInput) (Verified, error) {
	file, hash := in.Body.File, in.Body.SHA256
	switch {
	case file.Set && hash.Set:
		return Verified{}, fault.Field("sha256", say.VerifyFileOrHash)
	case file.Set && file.Value.Data == nil:
		return Verified{}, fault.Field("file", say.VerifyFileItself)
	case file.Set:
		return s.verify(ctx, r, "", file.Value.Data)
	case !hash.Set:
		return Verified{}, fault.Field("file", say.Required)
	}
	return s.verify(ctx, r, hash.Value, nil)
}

// verify looks up a file's hash, or the file itself where there is one.
func (s *service) verify(ctx context.Context, r *web.Request, text string, file []byte) (v Verified, err error) {
	var sum []byte
	if file != nil {
		hash := sha256.Sum256(file)
		sum = hash[:]
	} else if sum, err = sumOf(text); err != nil {
		return v, err
	}
	if _, err := s.throttle.Take(ctx, perCaller().Of(throttle.Caller(r.IP))); err != nil {
		return v, err
	}
	found, err := s.desk.Public.Find(ctx, sum)
	if err != nil {
		return v, err
	}
	v = Verified{SHA256: hex.EncodeToString(sum), Found: len(found) > 0, Results: []Result{}}
	for _, of := range found {
		v.Results = append(v.Results, resultOf(of, v.SHA256))
	}
	return v, nil
}

// sumOf reads a SHA-256 in hexadecimal.
func sumOf(text string) ([]byte, error) {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return nil, fault.Field("sha256", say.VerifyHashWrong)
	}
	return sum, nil
}

// resultOf is what is told of a document that was found by a SHA-256.
func resultOf(of document.Sealed, sum string) Result {
	r := Result{Kind: "original", Whole: of.Whole, Level: of.SealOf().Level, SealedAt: encode.Instant(time.UnixMicro(of.SealOf().At))}
	if of.Whole {
		r.Kind = "sealed"
	}
	if of.Erased != nil {
		r.Erased, r.Sealed = true, sum
		return r
	}
	signs, original, methods := len(of.Signs), hex.EncodeToString(of.FileOf(document.Original).SHA256), Methods{}
	for i := range of.Signs {
		switch of.Signs[i].Method {
		case document.SMS:
			methods.SMS++
		case document.EGov:
			methods.EGov++
		default:
			methods.Manual++
		}
	}
	r.Signs, r.Original, r.Methods, r.Withdrawn = &signs, &original, &methods, of.Withdrawn()
	r.Sealed = hex.EncodeToString(of.FileOf(document.SealedFile).SHA256)
	return r
}
