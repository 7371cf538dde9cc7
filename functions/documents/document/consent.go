package document

import (
	"crypto/sha256"
	"strconv"
	"strings"
)

// Consent is the text that a signer agrees to. It is shown before the signer signs, and kept with the signature.
type Consent struct {
	ID       string `json:"id,omitempty"` // of the text
	Language string `json:"language"`
	Text     string `json:"text"`
	SHA256   []byte `json:"sha256"`
}

// Languages are those in which people sign and are written to; the first is the usual one.
func Languages() []string { return []string{"ru", "kk", "en"} }

// ConsentIn is the text in a language, for a way of signing; Russian for any other language.
func ConsentIn(language string, method Method) Consent {
	text := consents()[language]
	if text == (consentText{}) {
		language, text = "ru", consents()["ru"]
	}
	c := Consent{ID: "sms-" + language + consentEdition, Language: language, Text: text.code}
	if method == EGov {
		c.ID, c.Text = "egov-"+language+consentEdition, text.egov
	}
	sum := sha256.Sum256([]byte(c.Text))
	c.SHA256 = sum[:]
	return c
}

// consentEdition ends the ids of the texts. It is raised whenever a text changes.
const consentEdition = "-1"

type consentText struct{ code, egov string }

// consents don't name a kind of electronic signature: a code by SMS is a message that identifies the parties and their
// will (Civil Code of Kazakhstan, article 152), and only a digital signature makes an electronic document (Law 370-II).
func consents() map[string]consentText {
	const (
		ruCode = "Я прочитал(а) документ и согласен(на) с ним. Я согласен(на), что код из SMS, отправленного на мой номер телефона, " +
			"подтверждает моё волеизъявление, и что сведения о подписании (время, адрес в сети, номер телефона) сохраняются " +
			"как доказательство."
		ruEGov = "Я прочитал(а) документ и согласен(на) с ним. Я подписываю его своей электронной цифровой подписью; сведения " +
			"о подписании " +
			"(время, адрес в сети, сертификат) сохраняются как доказательство."
		kkCode = "Мен құжатты оқып шықтым және онымен келісемін. Телефон нөміріме жіберілген SMS-тегі код менің еркімді растайтынына " +
			"және қол қою " +
			"туралы мәліметтер (уақыты, желідегі мекенжайы, телефон нөмірі) дәлел ретінде сақталатынына келісемін."
		kkEGov = "Мен құжатты оқып шықтым және онымен келісемін. Мен оған өзімнің электрондық цифрлық қолтаңбаммен қол " +
			"қоямын; қол қою туралы " +
			"мәліметтер (уақыты, желідегі мекенжайы, сертификат) дәлел ретінде сақталады."
		enCode = "I have read the document and agree to it. I agree that the code of the SMS sent to my telephone confirms my " +
			"will, and that " +
			"what is known about the signing (time, network address, telephone number) is kept as evidence."
		enEGov = "I have read the document and agree to it. I sign it with my own digital signature; what is known about the " +
			"signing (time, " +
			"network address, certificate) is kept as evidence."
	)
	return map[string]consentText{"ru": {ruCode, ruEGov}, "kk": {kkCode, kkEGov}, "en": {enCode, enEGov}}
}

// LanguageOf picks the language of an Accept-Language header, or of a tag: the first that we have.
func LanguageOf(header string) string {
	best, weight := "", -1.0
	for _, term := range strings.Split(header, ",") {
		tag, rest, _ := strings.Cut(strings.TrimSpace(term), ";")
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		q := quality(rest)
		for _, known := range Languages() {
			if tag == known && q > weight && q > 0 {
				best, weight = known, q
			}
		}
	}
	if best == "" {
		return Languages()[0]
	}
	return best
}

// quality reads the weight of a term of Accept-Language; what can't be read is 0.
func quality(params string) float64 {
	value, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(value, 64)
	if err != nil || q > 1 {
		return 0
	}
	return q
}
