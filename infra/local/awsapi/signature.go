package awsapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	algorithm = "AWS4-HMAC-SHA256"
	dateForm  = "20060102T150405Z"
	skew      = 15 * time.Minute // that a signature's time may differ from ours, which is AWS's own bound
)

// verify checks a request's signature (Signature Version 4, in its Authorization header) by making it once more.
func verify(r *http.Request, body []byte, secrets map[string]string, service string, now time.Time) *Error {
	header := r.Header.Get("Authorization")
	if header == "" {
		return &Error{http.StatusForbidden, "MissingAuthenticationTokenException", "Missing Authentication Token"}
	}
	credential, names, signature, ok := parse(header)
	at, err := time.Parse(dateForm, r.Header.Get("X-Amz-Date"))
	if !ok || err != nil {
		return &Error{http.StatusForbidden, "IncompleteSignatureException", "the signature is not whole: " + header}
	}
	key, date, region := credential[0], credential[1], credential[2]
	secret, known := secrets[key]
	switch {
	case !known:
		return &Error{http.StatusForbidden, "UnrecognizedClientException", "The security token included in the request is invalid."}
	case credential[3] != service || credential[4] != "aws4_request" || date != at.Format("20060102"):
		return &Error{http.StatusForbidden, "InvalidSignatureException", "the credential is scoped to another service or day"}
	case at.Sub(now).Abs() > skew:
		return &Error{http.StatusForbidden, "InvalidSignatureException", "Signature expired: " + r.Header.Get("X-Amz-Date")}
	}
	again := r.Clone(r.Context())
	again.Header = http.Header{}
	for _, name := range names {
		if values := r.Header.Values(name); len(values) > 0 {
			again.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	again.ContentLength = 0
	if slices.Contains(names, "content-length") {
		again.ContentLength = r.ContentLength
	}
	sum := sha256.Sum256(body)
	err = v4.NewSigner().SignHTTP(r.Context(), aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, again,
		hex.EncodeToString(sum[:]), service, region, at)
	_, _, want, ok := parse(again.Header.Get("Authorization"))
	if err != nil || !ok || subtle.ConstantTimeCompare([]byte(signature), []byte(want)) == 0 {
		return &Error{
			http.StatusForbidden, "InvalidSignatureException",
			"The request signature we calculated does not match the signature you provided. " +
				"Check your AWS Secret Access Key and signing method.",
		}
	}
	return nil
}

// parse takes an Authorization header apart: the five parts of the credential, the names of the headers that are signed,
// the signature.
func parse(header string) (credential, names []string, signature string, ok bool) {
	rest, ok := strings.CutPrefix(header, algorithm+" ")
	if !ok {
		return nil, nil, "", false
	}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			credential = strings.Split(value, "/")
		case "SignedHeaders":
			names = strings.Split(value, ";")
		case "Signature":
			signature = value
		}
	}
	return credential, names, signature, len(credential) == 5 && len(names) > 0 && signature != ""
}
