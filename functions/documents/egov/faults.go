package egov

import (
	"time"

	"github.com/tenantry/tenantry/shared/fault"
)

// refuse makes a fault of a sentence.
func refuse(sentence string) *fault.Error { return fault.New(fault.Invalid, sentence) }

// What can be wrong with a signature. Each has a code of its own, by which the signer's page finds
// its sentence in the signer's language, and a sentence for whoever reads the answer itself.
var (
	ErrTooLarge = refuse("The signature is larger than 64 KB. Sign without putting the document inside.").With("code", "cms_too_large")
	// ErrMalformed is also what says nothing more exact: no CMS, or one that contradicts itself.
	ErrMalformed    = refuse("This is not a whole CMS signature.").With("code", "cms_malformed")
	ErrAttached     = refuse("The document is inside the signature. Sign without putting it inside.").With("code", "cms_attached")
	ErrNoSigner     = refuse("Nobody has signed in this CMS.").With("code", "cms_no_signer")
	ErrTwoSigners   = refuse("The CMS is signed more than once. Each signer sends a CMS of their own.").With("code", "cms_signers")
	ErrNoAttributes = refuse("The signature has no signed attributes.").With("code", "cms_attributes")
	ErrWeakHash     = refuse("The signature's hash is no longer safe. Sign with a newer NCALayer.").With("code", "cms_hash")
	ErrWeakKey      = refuse("The key is too short, or of a kind that is not taken. Get a new one.").With("code", "cms_key")
	ErrPSS          = refuse("Signatures by RSA-PSS are not taken. Sign with NCALayer.").With("code", "cms_pss")
	ErrOldGOST      = refuse("Keys of GOST 2004 are no longer taken. Get a new one.").With("code", "cms_gost_2004")
	ErrAlgorithm    = refuse("The signature is made by an algorithm that is not taken. Sign with NCALayer.").With("code", "cms_algorithm")
	ErrBadSignature = refuse("The signature is not of the certificate's key, or was changed.").With("code", "cms_signature")
	// ErrOtherDocument is a signature that holds, but of other bytes.
	ErrOtherDocument = refuse("Another document was signed. Open the document again and sign what is shown.").With("code", "cms_document")
	// ErrTime is a signature that was made before there was anything to sign, or that doesn't say when it was made.
	ErrTime = refuse("The signature was made before this document was sent to be signed, or does not say when. Sign what is shown now.").
		With("code", "cms_time")

	ErrNoCertificate = refuse("The certificate of the signer is missing in the CMS.").With("code", "certificate_missing")
	ErrUntrusted     = refuse("The certificate was not issued by the National Certification Centre.").With("code", "certificate_untrusted")
	ErrUsage         = refuse("This key is not for documents but for signing in. Choose the other one.").With("code", "certificate_usage")
	ErrExpired       = refuse("The certificate has expired. Get a new one.").With("code", "certificate_expired")
	ErrNotYet        = refuse("The certificate is not valid yet.").With("code", "certificate_not_yet")
	ErrRevoked       = refuse("The certificate was revoked.").With("code", "certificate_revoked")
	// ErrUnknownStatus is what the certification centre itself says: it doesn't know the certificate.
	ErrUnknownStatus = refuse("The certification centre does not know this certificate.").With("code", "certificate_unknown")

	ErrWrongPerson = refuse("The certificate is another's: its IIN or BIN is not the signer's.").With("code", "certificate_person")
	ErrPersonKey   = refuse("An organisation signs here. Choose the key of the organisation.").With("code", "certificate_of_person")
	ErrCompanyKey  = refuse("A person signs here. Choose your own key.").With("code", "certificate_of_organisation")
	// ErrNoRight is a key of the organisation whose holder may not sign for it.
	ErrNoRight = refuse("The holder of this key may not sign for the organisation.").With("code", "certificate_right")
	// ErrNobody is for signers of whom nobody has written down who they are.
	ErrNobody = refuse("The signer's IIN or BIN is not known, so a signature by eGov can't be taken.").With("code", "signer_number")

	// ErrUnreachable is 503: whether the certificate was revoked could not be asked.
	ErrUnreachable = (&fault.Error{
		Code: fault.Unavailable, RetryAfter: time.Minute,
		Detail: "The certification centre can't be asked right now. Try again in a minute.",
	}).With("code", "nca_unreachable")
	// ErrOff is where no roots are configured.
	ErrOff = fault.New(fault.Conflict, "Signing by eGov is not set up here.").With("code", "nca_off")
)
