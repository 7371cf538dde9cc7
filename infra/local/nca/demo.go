package nca

import "time"

// Demo are people with keys for the demo company: its head, some of its clients, who can sign what is sent to
// them, and keys that have to be refused.
func Demo(now time.Time) []Person {
	const (
		asel, aselIIN = "СӘРСЕНБАЕВА ӘСЕЛ", "921130401234"
		petr, petrIIN = "ИВАНОВ ПЁТР АНДРЕЕВИЧ", "850515300701"
		nurlan, nIIN  = "ЖҰМАБЕКОВ НҰРЛАН", "040229600071"
		firm, firmBIN = "ТОО «Алатау Прокат»", "191151000429"
	)
	organisation := func(right Right) Person {
		return Person{Name: nurlan, IIN: nIIN, Organisation: firm, BIN: firmBIN, Right: right, Kind: GOST512}
	}
	return []Person{
		{Name: asel, IIN: aselIIN, Kind: GOST512},
		{Name: petr, IIN: petrIIN, Kind: RSA},
		{Name: "MILLER JOHN", IIN: "010228504562", Kind: GOST256},
		{
			Name: "ДЕМОНОВ ДАУЛЕТ", IIN: "850515300016", Kind: GOST512,
			Organisation: "ТОО «Demo Rentals»", BIN: "140340010302", Right: Head,
		},
		organisation(Head),
		organisation(MaySign),
		organisation(Employee),
		{Name: asel, IIN: aselIIN, Kind: GOST512, SigningIn: true},
		{Name: asel, IIN: aselIIN, Kind: GOST512, Revoked: true},
		{Name: petr, IIN: petrIIN, Kind: RSA, From: now.AddDate(-1, 0, -1), Till: now.AddDate(0, 0, -1)},
		{Name: petr, IIN: petrIIN, Kind: RSA, From: now.AddDate(5, 0, 0), Till: now.AddDate(6, 0, 0)},
	}
}
