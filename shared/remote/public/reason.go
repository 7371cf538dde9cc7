package public

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/tenantry/tenantry/shared/say"
)

// What is wrong with an address. Whoever chose it may read this, and why a call has no answer: it tells nothing of our network.
const (
	errURL       = say.InvalidURL
	errLong      = say.URLTooLong
	errHTTPS     = say.URLNotHTTPS
	errUser      = say.URLWithUser
	errFragment  = say.URLWithFragment
	errPort      = say.URLPortWrong
	errNotPublic = say.URLNotPublic
	errOurs      = say.URLIsOurs
)

// Why a call has no answer.
const (
	errName       = say.CallNameNotFound
	errLookup     = say.CallNameNotLookedUp
	errSlowDial   = say.CallConnectingTooSlow
	errSlowAnswer = say.CallAnswerTooSlow
	errRefused    = say.CallRefused
	errUnreached  = say.CallNotReached
	errClosed     = say.CallClosed
	errUnread     = say.CallNotUnderstood

	errCertificate = say.CallCertificateInvalid
	errAuthority   = say.CallCertificateOfUnknown
	errOtherHost   = say.CallCertificateOfOther
	errExpired     = say.CallCertificateExpired
	errNoTLS       = say.CallWithoutTls
)

// reason is the message of a call that failed.
func reason(err error) say.Message {
	var (
		known       say.Message
		lookup      *net.DNSError
		op          *net.OpError
		certificate *tls.CertificateVerificationError
		other       tls.RecordHeaderError
	)
	dialing := errors.As(err, &op) && op.Op == "dial"
	switch {
	case errors.As(err, &known): // of Client.control
		return known
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return errName
	case lookup != nil:
		return errLookup
	case timedOut(err) && (dialing || !errors.Is(err, context.DeadlineExceeded)):
		return errSlowDial
	case timedOut(err):
		return errSlowAnswer
	case errors.Is(err, syscall.ECONNREFUSED):
		return errRefused
	case dialing:
		return errUnreached
	case errors.As(err, &certificate):
		return untrusted(certificate.Err)
	case errors.As(err, &other):
		return errNoTLS
	case op != nil && strings.HasPrefix(op.Err.Error(), "tls: "): // an alert, one of a fixed list
		return alert(op.Err)
	case strings.HasPrefix(err.Error(), "tls: "):
		return alert(err)
	case strings.HasPrefix(err.Error(), "net/http: ") && op == nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return errUnread
	default:
		return errClosed
	}
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// alert tells what the handshake failed for. The texts of package tls hold what the server has sent at most.
func alert(err error) say.Message {
	text := strings.ToValidUTF8(strings.TrimPrefix(err.Error(), "tls: "), "\uFFFD")
	return say.CallTlsFailed(fmt.Sprintf("%.200s", text))
}

// untrusted tells why a certificate is not valid. The texts of package x509 are not passed on, because they may name files
// of this machine and hold what the certificate says.
func untrusted(err error) say.Message {
	var (
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		return errOtherHost
	case errors.As(err, &authority):
		return errAuthority
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return errExpired
	default:
		return errCertificate
	}
}
