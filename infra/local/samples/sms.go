package samples

// sms are what the company has for SMS, and what it sent.
func sms() []Step {
	account := step("/v1/sms/account/history/", []Record{{"amount": "10000"}})
	account.At = "/v1/sms/account/top_up/"
	return []Step{account, step("/v1/sms/messages/", []Record{
		{"phones": []string{"8 (702) 765-43-21"}, "message": "Әсел, көлігіңіз дайын. Сізді Абай даңғылы, 10 мекенжайында күтеміз."},
		{"phones": []string{"+7 705 222 33 44"}, "message": "Пётр Андреевич, завтра в 10:00 срок возврата. Продлить можно здесь."},
		{"phones": []string{"+7 701 310 20 11", "+7 777 415 60 02", "+7 747 118 33 90"}, "message": "Medeu rink: skis 20% off this week!"},
	})}
}
