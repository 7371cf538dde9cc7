package signing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/functions/documents/document"
	"github.com/tenantry/tenantry/functions/tenants/company"
	"github.com/tenantry/tenantry/functions/tenants/usage"
	"github.com/tenantry/tenantry/shared/table"
)

// A plan has room for so many sealed documents in a month: the signature after which one would be sealed is refused, whoever makes it,
// and can be made when there is room.
func TestSealsOfAPlan(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, companyID)
	if err := of.Update(of.Company()).Set("pl", company.Plan{Seals: 1}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.twoClients()
	full := `{"detail":"The plan of the company has room for 1 sealed document in a month.","code":"plan","limit":"seals","most":1}`

	first, second := w.ready(1), w.ready(2)
	for _, code := range first.codes {
		w.sign(code)
	}
	w.Deliver()
	w.isSealed(first.document)
	w.sign(second.codes[0]) // nothing is sealed yet
	var uuid, confirm, digits string
	if _, err := fmt.Sscan(second.codes[1], &uuid, &confirm, &digits); err != nil {
		t.Fatal(err)
	}
	signs := func() string { return fmt.Sprintf(`{"confirm_id":%q,"code":%q}`, confirm, digits) }
	neutral := `{"detail":"The company can't take signatures at the moment.","code":"plan"}`
	w.public().Post(all+uuid+"/sign/confirm/", signs()).Status(403).Writes(0).JSON(neutral)
	// Nobody is asked for a code that could sign nothing, and no SMS is paid.
	w.public().Get(all+uuid+"/").Status(200).Field("paused", `"plan"`)
	w.Clock.Step(2 * time.Minute)
	w.ask(all + uuid + "/").Writes(0).Status(403).JSON(neutral)
	if d := w.staff().Get(fmt.Sprint(all, second.document, "/")).Status(200); d.Value("signed").(bool) {
		t.Error("it is signed")
	}
	// The last one who has not signed is removed: that would seal it too.
	w.staff().Delete(fmt.Sprint(all, second.document, "/signs/2/")).Status(403).JSON(full)

	spent, err := usage.SpentOn(t.Context(), of, w.Clock.Now().In(time.FixedZone("", 5*3600)))
	if err != nil || spent.Seals != 1 {
		t.Errorf("%+v, %v", spent, err)
	}
	if err := of.Update(of.Company()).Set("pl", company.Plan{Seals: 2}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.public().Get(all+uuid+"/").Status(200).Field("paused", "null")
	w.public().Post(all+uuid+"/sign/confirm/", signs()).Status(200).Field("sign.status", fmt.Sprint(int(document.Signed)))
	w.Deliver()
	w.isSealed(second.document)
}

// A signer whom the plan lets no code be sent to learns nothing of the plan; the company learns of the refusal.
func TestCodesOfAPlan(t *testing.T) {
	w := newWorld(t)
	of := table.Of(w.Env.Table, companyID)
	if err := of.Update(of.Company()).Set("pl", company.Plan{SMS: 1}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.twoClients()
	document := w.upload("Lease").Int("id")
	for i, sent := range []bool{true, false} {
		uuid := w.staff().Post(fmt.Sprint(all, document, "/signs/"), fmt.Sprintf(`{"client":%d}`, i+1)).Status(201).Text("uuid")
		w.public().Post(all+uuid+"/open/", `{}`).Status(200)
		if a := w.ask(all + uuid + "/"); sent {
			a.Status(200)
		} else {
			a.Writes(1).Status(409).Field("code", `"sms_unavailable"`).NotContain("plan")
		}
	}
	w.staff().Post(fmt.Sprint(all, document, "/signs/2/sms/"), `{"channel":"sms"}`).Status(403).Field("limit", `"sms"`)
	w.staff().Get("/v1/sms/account/").Status(200).Field("refused_at", `"2026-03-02T09:30:00Z"`)
}
