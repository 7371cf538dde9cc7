package sms

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/moment"
	"github.com/tenantry/tenantry/shared/tenant"
)

// reference is how a provider knows a message to one telephone: "7.123.0.h2j4k5m6n7.…". The last part
// is a signature of the others, so that a report can name only what we have sent. The time is in it
// because a table that was restored may give a number again.
type reference struct {
	tenant  tenant.ID
	message int64
	index   int           // of the telephone
	created moment.Micros // of the message
}

// signatureBytes is how much of the HMAC a reference holds.
const signatureBytes = 16

func (r reference) text(secret string) string {
	plain := fmt.Sprintf("%d.%d.%d.%s", r.tenant, r.message, r.index, strconv.FormatInt(int64(r.created), 36))
	return plain + "." + signed(secret, plain)
}

func signed(secret, plain string) string {
	h := hmac.New(sha256.New, []byte(secret))
	_, _ = h.Write([]byte("sms reference " + plain)) // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:signatureBytes])
}

// parseReference reads a reference; false if a text is not one that we made.
func parseReference(secret, text string) (r reference, ok bool) {
	end := strings.LastIndexByte(text, '.')
	if end < 0 || subtle.ConstantTimeCompare([]byte(text[end+1:]), []byte(signed(secret, text[:end]))) != 1 {
		return reference{}, false
	}
	parts := strings.Split(text[:end], ".")
	if len(parts) != 4 {
		return reference{}, false
	}
	var numbers [4]int64
	for i, base := range []int{10, 10, 10, 36} {
		n, err := strconv.ParseInt(parts[i], base, 64)
		if err != nil {
			return reference{}, false
		}
		numbers[i] = n
	}
	return reference{tenant.ID(numbers[0]), numbers[1], int(numbers[2]), moment.Micros(numbers[3])}, true
}
