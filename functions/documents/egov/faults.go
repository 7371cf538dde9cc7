package egov

import (
	"time"

	"github.com/tenantry/tenantry/shared/fault"
)

func refusal(code, sentence string) *fault.Error {
	return fault.New(fault.Invalid, sentence).With("code", code)
}

// What can be wrong with a signature. Each has a code of its own, by which the signer's page finds
// its sentence in the signer's language, and a sentence for whoever reads the answer itself.
var (
	ErrTooLarge = refusal("cms_too_large", "The signature is larger than 64 KB. Sign without putting the document inside.")
	// ErrMalformed is also what says nothing more exact: no CMS, or one that contradicts itself.
	ErrMalformed    = refusal("cms_malformed", "This is not a whole CMS signature.")
	ErrAttached     = refusal("cms_attached", "The document is inside the signature. Sign without putting it inside.")
	ErrNoSigner     = refusal("cms_no_signer", "Nobody has signed in this CMS.")
	ErrTwoSigners   = refusal("cms_signers", "The CMS is signed more than once. Each signer sends a CMS of their own.")
	ErrNoAttributes = refusal("cms_attributes", "The signature has no signed attributes.")
	ErrWeakHash     = refusal("cms_hash", "The signature uses a hash that is no longer safe. Sign with SHA-256 or newer, or GOST 2015.")
	ErrWeakKey      = refusal("cms_key", "The key is too short or of an unknown kind. Get a new one from the certification centre.")
	ErrPSS          = refusal("cms_pss", "Signatures by RSA-PSS are not taken. Sign with NCALayer.")
	ErrOldGOST      = refusal("cms_gost_2004", "Keys of GOST 2004 are no longer taken. Get a new one from the certification centre.")
	ErrAlgorithm    = refusal("cms_algorithm", "The signature is made by an algorithm that is not taken. Sign with NCALayer.")
	ErrBadSignature = refusal("cms_signature", "The signature is not of the certificate's key, or was changed.")
	// ErrOtherDocument is a signature that holds, but of other bytes.
	ErrOtherDocument = refusal("cms_document", "Another document was signed. Open the document again and sign what is shown.")

	ErrNoCertificate = refusal("certificate_missing", "The certificate of the signer is missing in the CMS.")
	ErrUntrusted     = refusal("certificate_untrusted", "The certificate was not issued by the National Certification Centre.")
	ErrUsage         = refusal("certificate_usage", "This key is not for signing documents. Choose the one for signing, not the one for signing in.")
	ErrExpired       = refusal("certificate_expired", "The certificate has expired. Get a new one from the certification centre.")
	ErrNotYet        = refusal("certificate_not_yet", "The certificate is not valid yet.")
	ErrRevoked       = refusal("certificate_revoked", "The certificate was revoked.")
	// ErrUnknownStatus is what the certification centre itself says: it doesn't know the certificate.
	ErrUnknownStatus = refusal("certificate_unknown", "The certification centre does not know this certificate.")

	ErrWrongPerson = refusal("certificate_person", "The certificate is another's: its IIN or BIN is not the signer's.")
	ErrPersonKey   = refusal("certificate_of_person", "An organisation signs here. Choose the key of the organisation.")
	ErrCompanyKey  = refusal("certificate_of_organisation", "A person signs here. Choose your own key, not that of an organisation.")
	// ErrNoRight is a key of the organisation whose holder may not sign for it.
	ErrNoRight = refusal("certificate_right", "The holder of this key may not sign for the organisation.")
	// ErrNobody is for signers of whom nobody has written down who they are.
	ErrNobody = refusal("signer_number", "The signer's IIN or BIN is not known, so a signature by eGov can't be taken.")

	// ErrUnreachable is 503: whether the certificate was revoked could not be asked.
	ErrUnreachable = (&fault.Error{
		Code: fault.Unavailable, Detail: "The certification centre can't be asked right now. Try again in a minute.", RetryAfter: time.Minute,
	}).With("code", "nca_unreachable")
	// ErrOff is where no roots are configured.
	ErrOff = fault.New(fault.Conflict, "Signing by eGov is not set up here.").With("code", "nca_off")
)
