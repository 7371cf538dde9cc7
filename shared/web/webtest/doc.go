// Package webtest serves groups to tests as the gateway would: each request is
// the JSON of a payload 2.0 event, each answer comes back through the server's
// Invoke, and behind it is a real, fresh table.
//
// A scenario reads top to bottom:
//
//	api := webtest.New(t, documents.New)
//	owner := api.As(webtest.Owner(1))
//	owner.Post("/v2/documents/", `{"name":"Lease"}`).Status(201).Writes(3).
//		JSON(`{"id":1,"uuid":"<uuid>","name":"Lease","created_at":"<datetime>",…}`)
//	api.As(webtest.Owner(2)).Get("/v2/documents/1/").Status(404).NotContain("Lease")
//
// Several groups may share one table; a request goes to the group whose
// operations share the longest prefix with its path. A request that fails must
// have written nothing: Status checks it, unless Writes was asked before.
//
// What never goes in here: a rule of a group, and anything that only one
// group's tests need.
package webtest
