package notify

import "github.com/tenantry/tenantry/shared/say"

// Letter is an e-mail before it is known who reads it.
type Letter struct {
	Subject, Text say.Message
	After         say.Message // a paragraph more, such as a link; may be empty
}

// To is the letter to an address, in a language. id is that of the outbox message.
func (l Letter) To(id, address string, language say.Language) Message {
	text := l.Text.In(language) + "\n"
	if l.After != "" {
		text += "\n" + l.After.In(language) + "\n"
	}
	return Message{ID: id, Channel: Email, To: address, Subject: l.Subject.In(language), Text: text}
}
