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
	ErrTooLarge = refuse(say.CMSTooLarge).With("code", "cms_too_large")
	// ErrMalformed is also what says nothing more exact: no CMS, or one that contradicts itself.
	ErrMalformed    = refuse(say.CMSMalformed).With("code", "cms_malformed")
	ErrAttached     = refuse(say.CMSAttached).With("code", "cms_attached")
	ErrNoSigner     = refuse(say.CMSNoSigner).With("code", "cms_no_signer")
	ErrTwoSigners   = refuse(say.CMSSigners).With("code", "cms_signers")
	ErrNoAttributes = refuse(say.CMSAttributes).With("code", "cms_attributes")
	ErrWeakHash     = refuse(say.CMSHash).With("code", "cms_hash")
	ErrWeakKey      = refuse(say.CMSKey).With("code", "cms_key")
	ErrPSS          = refuse(say.CMSPss).With("code", "cms_pss")
	ErrOldGOST      = refuse(say.CMSGost2004).With("code", "cms_gost_2004")
	ErrAlgorithm    = refuse(say.CMSAlgorithm).With("code", "cms_algorithm")
	ErrBadSignature = refuse(say.CMSSignature).With("code", "cms_signature")
	// ErrOtherDocument is a signature that holds, but of other bytes.
	ErrOtherDocument = refuse(say.CMSDocument).With("code", "cms_document")
	// ErrTime is a signature that was made before there was anything to sign, or that doesn't say when it was made.
	ErrTime = refuse(say.CMSTime).
		With("code", "cms_time")

	ErrNoCertificate = refuse(say.CertificateMissing).With("code", "certificate_missing")
	ErrUntrusted     = refuse(say.CertificateUntrusted).With("code", "certificate_untrusted")
	ErrUsage         = refuse(say.CertificateUsage).With("code", "certificate_usage")
	ErrExpired       = refuse(say.CertificateExpired).With("code", "certificate_expired")
	ErrNotYet        = refuse(say.CertificateNotYet).With("code", "certificate_not_yet")
	ErrRevoked       = refuse(say.CertificateRevoked).With("code", "certificate_revoked")
	// ErrUnknownStatus is what the certification centre itself says: it doesn't know the certificate.
	ErrUnknownStatus = refuse(say.CertificateUnknown).With("code", "certificate_unknown")

	ErrWrongPerson = refuse(say.CertificatePerson).With("code", "certificate_person")
	ErrPersonKey   = refuse(say.CertificateOfPerson).With("code", "certificate_of_person")
	ErrCompanyKey  = refuse(say.CertificateOfOrganisation).With("code", "certificate_of_organisation")
	// ErrNoRight is a key of the organisation whose holder may not sign for it.
	ErrNoRight = refuse(say.CertificateRight).With("code", "certificate_right")
	// ErrNobody is for signers of whom nobody has written down who they are.
	ErrNobody = refuse(say.SignerNumber).With("code", "signer_number")

	// ErrUnreachable is 503: whether the certificate was revoked could not be asked.
	ErrUnreachable = (&fault.Error{
		Code: fault.Unavailable, RetryAfter: time.Minute,
		Detail: say.NcaUnreachable,
	}).With("code", "nca_unreachable")
	// ErrOff is where no roots are configured.
	ErrOff = fault.New(fault.Conflict, say.NcaOff).With("code", "nca_off")
)
