package notify

import "github.com/tenantry/tenantry/shared/say"

// Letter is an e-mail before it is known who reads it.
type Letter struct {
	Subject, Text say.Message
	After         say.Message // a paragraph more, such as a link; may be empty
}

// To makes the e-mail of a letter, for an address and in a language. Its id is that of the outbox message, so that it is sent once.
func (l Letter) To(id, address string, language say.Language) Message {
	text := l.Text.In(language) + "\n"
	if l.After != "" {
		text += "\n" + l.After.In(language) + "\n"
	}
	return Message{ID: id, Channel: Email, To: address, Subject: l.Subject.In(language), Text: text}
}
