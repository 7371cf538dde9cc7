package notify_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tenantry/tenantry/shared/outbox/notify"
)

type sender struct{ sent []string }

func (s *sender) Send(_ context.Context, m notify.Message) error {
	s.sent = append(s.sent, m.ID)
	return nil
}

type reliable struct{ sender }

func (*reliable) Traits(notify.Channel) notify.Traits { return notify.Traits{Once: true} }

func TestByChannel(t *testing.T) {
	mail, sms := &sender{}, &reliable{}
	all := notify.ByChannel{notify.Email: mail, notify.SMS: sms}
	for _, m := range []notify.Message{{ID: "1", Channel: notify.SMS}, {ID: "2", Channel: notify.Email}} {
		if err := all.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if len(mail.sent) != 1 || mail.sent[0] != "2" || len(sms.sent) != 1 || sms.sent[0] != "1" {
		t.Errorf("mails %q, SMS %q", mail.sent, sms.sent)
	}
	if !notify.TraitsOf(all, notify.SMS).Once || notify.TraitsOf(all, notify.Email).Once {
		t.Error("a channel has the traits of another")
	}
	none := notify.ByChannel{}
	if err := none.Send(t.Context(), notify.Message{Channel: notify.SMS}); !errors.Is(err, notify.ErrNotSent) {
		t.Errorf("without a sender: %v", err)
	}
	if notify.TraitsOf(none, notify.SMS).Once || notify.TraitsOf(nil, notify.SMS).Once {
		t.Error("nothing is relied on for something")
	}
}
