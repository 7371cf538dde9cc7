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
)

// Error is a sentence that says what is wrong with an address, or why a call has no answer. Whoever chose the address may
// read it: it tells nothing of our network.
type Error string

func (e Error) Error() string { return string(e) }

// What is wrong with an address.
const (
	errURL       Error = "Enter a valid URL."
	errLong      Error = "Ensure this URL has no more than 2048 characters."
	errHTTPS     Error = "The URL must start with https://."
	errUser      Error = "The URL must not hold a user or a password."
	errFragment  Error = "The URL must not have a fragment (#)."
	errPort      Error = "The port must be 443 or 8443."
	errNotPublic Error = "The address is not public."
	errOurs      Error = "The address is one of this platform."
)

// Why a call has no answer.
const (
	errName       Error = "The name was not found."
	errLookup     Error = "The name could not be looked up."
	errSlowDial   Error = "Connecting took too long."
	errSlowAnswer Error = "The answer took too long."
	errRefused    Error = "The connection was refused."
	errUnreached  Error = "The address could not be reached."
	errClosed     Error = "The connection was closed before there was an answer."
	errUnread     Error = "The answer is not of HTTP/1.1, or its headers are larger than 16 KB."

	errCertificate Error = "TLS: the certificate is not valid."
	errAuthority   Error = "TLS: the certificate is of an unknown authority."
	errOtherHost   Error = "TLS: the certificate is of another host."
	errExpired     Error = "TLS: the certificate has expired or is not valid yet."
	errNoTLS       Error = "TLS: the server does not speak it."
)

// reason is the Error of a call that failed.
func reason(err error) Error {
	var (
		known       Error
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
func alert(err error) Error {
	text := strings.ToValidUTF8(strings.TrimPrefix(err.Error(), "tls: "), "\uFFFD")
	return Error(fmt.Sprintf("TLS: %.200s.", text))
}

// untrusted tells why a certificate is not valid. The texts of package x509 are not passed on, because they may name files
// of this machine and hold what the certificate says.
func untrusted(err error) Error {
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
