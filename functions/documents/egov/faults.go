package egov

import (
	"time"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// refuse makes a fault of a sentence.
func refuse(sentence say.Message) *fault.Error { return fault.New(fault.Invalid, sentence) }

// What can be wrong with a signature. Each has a code of its own, by which the signer's page finds
// its sentence in the signer's language, and a sentence for whoever reads the answer itself.
var (
	ErrTooLarge = refuse(say.CMSTooLarge).Coded()
	// ErrMalformed is also what says nothing more exact: no CMS, or one that contradicts itself.
	ErrMalformed    = refuse(say.CMSMalformed).Coded()
	ErrAttached     = refuse(say.CMSAttached).Coded()
	ErrNoSigner     = refuse(say.CMSNoSigner).Coded()
	ErrTwoSigners   = refuse(say.CMSSigners).Coded()
	ErrNoAttributes = refuse(say.CMSAttributes).Coded()
	ErrWeakHash     = refuse(say.CMSHash).Coded()
	ErrWeakKey      = refuse(say.CMSKey).Coded()
	ErrPSS          = refuse(say.CMSPss).Coded()
	ErrOldGOST      = refuse(say.CMSGost2004).Coded()
	ErrAlgorithm    = refuse(say.CMSAlgorithm).Coded()
	ErrBadSignature = refuse(say.CMSSignature).Coded()
	// ErrOtherDocument is a signature that holds, but of other bytes.
	ErrOtherDocument = refuse(say.CMSDocument).Coded()
	// ErrTime is a signature that was made before there was anything to sign, or that doesn't say when it was made.
	ErrTime = refuse(say.CMSTime).
		Coded()

	ErrNoCertificate = refuse(say.CertificateMissing).Coded()
	ErrUntrusted     = refuse(say.CertificateUntrusted).Coded()
	ErrUsage         = refuse(say.CertificateUsage).Coded()
	ErrExpired       = refuse(say.CertificateExpired).Coded()
	ErrNotYet        = refuse(say.CertificateNotYet).Coded()
	ErrRevoked       = refuse(say.CertificateRevoked).Coded()
	// ErrUnknownStatus is what the certification centre itself says: it doesn't know the certificate.
	ErrUnknownStatus = refuse(say.CertificateUnknown).Coded()

	ErrWrongPerson = refuse(say.CertificatePerson).Coded()
	ErrPersonKey   = refuse(say.CertificateOfPerson).Coded()
	ErrCompanyKey  = refuse(say.CertificateOfOrganisation).Coded()
	// ErrNoRight is a key of the organisation whose holder may not sign for it.
	ErrNoRight = refuse(say.CertificateRight).Coded()
	// ErrNobody is for signers of whom nobody has written down who they are.
	ErrNobody = refuse(say.SignerNumber).Coded()

	// ErrUnreachable is 503: whether the certificate was revoked could not be asked.
	ErrUnreachable = (&fault.Error{
		Code: fault.Unavailable, RetryAfter: time.Minute,
		Detail: say.NcaUnreachable,
	}).With("code", "nca_unreachable")
	// ErrOff is where no roots are configured.
	ErrOff = fault.New(fault.Conflict, say.NcaOff).Coded()
)
