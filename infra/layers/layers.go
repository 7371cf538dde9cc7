// Package layers says which packages of the platform may import which others, and finds
// imports that break these rules. Its test reads the real imports.
//
//	shared/…              imports no group; imports HTTP only in the packages that serve requests,
//	                      and in those that help tests
//	functions/<g>/<noun>  a domain: imports no HTTP, and only domains of a lower rank
//	                      (but outward() lists what calls other services: of its own face, with HTTP)
//	functions/<g>         a face: imports any domain, but no other face
//	functions/<g>/clerk   carries out a face's messages where a worker is not to link the face: imports
//	                      domains, and of HTTP the package of functions' environments
//	functions/<g>/lambda  imports its own face
//	infra/…               imports all of them; none of them imports infra
//
// What never goes in here: rules about third-party packages. The linter checks those.
package layers

import (
	"fmt"
	"slices"
	"strings"
)

// Domains lists the domains by rank: each may import those before it. If a rule needs two
// domains in one transaction, its code is in the domain of the higher rank.
func Domains() []string {
	return []string{
		"identity/denylist", "identity/credential", "identity/credentialtest",
		"tenants/company", "tenants/staff", "tenants/feed", "tenants/key", "tenants/standing", "tenants/usage",
		"webhooks/signature", "webhooks/endpoint",
		"sms/account",
		"clients/client", "clients/discount",
		"services/tariff", "services/service",
		"inventory/calendar",
		"inventory/group", "inventory/item",
		"finance/ledger",
		"orders/pricing", "orders/pricebook", "orders/order",
		"sales/lead",
		"penalties/penalty",
		"render/job", "render/layout", "render/normalise",
		"signing/page",
		"pack/job", "show/job", "tenants/export",
		"seal/job", "seal/pdf", "seal/pades", "seal/pages",
		"documents/words", "documents/merge", "documents/egov/gost", "documents/egov", "documents/document",
		"documents/template", "documents/values", "documents/printing",
		"metrics/row",
		"events/known",
	}
}

// ofAll tells whether a face works for all others: three carry out their messages, by their lanes, pack knows what of each kind is
// searched, and show asks the others how a record looks.
func ofAll(face string) bool {
	return slices.Contains([]string{"urgent", "worker", "bulk", "pack", "show"}, face)
}

// loners are faces that work for the requests or the messages of all groups, so they import no domain.
func loners() []string { return []string{"authorizer", "fallback", "dispatch"} }

// serves tells whether a package that is not a face serves requests.
func serves(path string) bool {
	return slices.Contains([]string{"shared/web/resource", "shared/app"}, path) || path == "shared/web" ||
		strings.HasPrefix(path, "shared/web/")
}

// outward tells whether a package imports net/http to call other services: it serves no requests.
// One of a group is no domain: it belongs to the group's face.
func outward(path string) bool {
	return slices.Contains([]string{
		"shared/files", "shared/patience", "shared/remote", "shared/remote/public", "shared/invoke/awslambda",
		"shared/table/transport", "functions/identity/oidc",
	}, path) || strings.HasPrefix(path, "shared/outbox/notify/")
}

// carries tells whether a package carries out messages. It is made from the environment of its function, and serves no requests.
func carries(path string) bool {
	_, noun, ok := split(path)
	return ok && noun == clerk || slices.Contains([]string{"shared/outbox/worker", "shared/outbox/notify/providers"}, path)
}

// isHTTP tells whether an import counts as HTTP.
func isHTTP(from, to string) bool {
	if carries(from) && to == "shared/app" {
		return false
	}
	return serves(to) || to == "net/http" && !outward(from)
}

// Package is a package of the module and its imports. Packages of the module are written
// without the module's name; other imports are of the standard library.
type Package struct {
	Path    string
	Imports []string
}

// Faults lists the imports that are not allowed, and the domains that have no rank.
func Faults(packages []Package) (faults []string) {
	for _, p := range packages {
		group, noun, ok := split(p.Path)
		helper := strings.HasSuffix(noun, "test") // of the tests of a domain
		if isDomain(noun) && ok && !helper && !slices.Contains(Domains(), group+"/"+noun) && !outward(p.Path) {
			faults = append(faults, p.Path+" is a domain without a rank")
		}
		for _, to := range p.Imports {
			if reason := refused(p.Path, to); reason != "" {
				faults = append(faults, fmt.Sprintf("%s imports %s: %s", p.Path, to, reason))
			}
		}
	}
	return faults
}

// split returns the group and the noun of a package below functions/. For a face the noun
// is "".
func split(path string) (group, noun string, ok bool) {
	rest, ok := strings.CutPrefix(path, "functions/")
	if !ok {
		return "", "", false
	}
	group, noun, _ = strings.Cut(rest, "/")
	return group, noun, true
}

const (
	main  = "lambda"
	clerk = "clerk"
)

func isDomain(noun string) bool { return noun != "" && noun != main && noun != clerk }

// refused says why one package may not import another, or "" if it may.
func refused(from, to string) string {
	switch {
	case isHTTP(from, to) && knowsNoHTTP(from):
		return "it knows no HTTP"
	case strings.HasPrefix(to, "infra/") && !strings.HasPrefix(from, "infra/") && !strings.HasSuffix(from, "test"):
		return "what users run knows no tool of ours"
	}
	toGroup, toNoun, toFunctions := split(to)
	if !toFunctions || strings.HasPrefix(from, "infra/") {
		return ""
	}
	group, noun, inFunctions := split(from)
	switch {
	case !inFunctions:
		return "what is shared knows no group"
	case toNoun == main:
		return "nothing imports a main"
	case noun == main && (toGroup != group || toNoun != ""):
		return "a main knows its own face alone"
	case noun == main:
		return ""
	case toNoun == clerk && (noun != "" || group != toGroup && !ofAll(group)):
		return "it belongs to the face of its group"
	case noun == clerk && toNoun == "":
		return "what a worker links knows no face"
	case slices.Contains(loners(), group):
		return "what is of all groups passes it, so it knows none"
	case outward(to) && (noun != "" || group != toGroup):
		return "it belongs to the face of its group"
	case isDomain(noun) && toNoun == "":
		return "a domain knows no face"
	case isDomain(noun) && rank(toGroup, toNoun) >= rank(group, noun):
		return "of the domains it knows those of a lower rank"
	case noun == "" && toNoun == "" && !ofAll(group):
		return "a face knows no other"
	}
	return ""
}

func rank(group, noun string) int { return slices.Index(Domains(), group+"/"+noun) }

// knowsNoHTTP tells whether a package may not import HTTP: domains, and packages that store
// records. What helps tests may send requests.
func knowsNoHTTP(path string) bool {
	_, noun, inFunctions := split(path)
	if inFunctions {
		return isDomain(noun) || noun == clerk
	}
	return strings.HasPrefix(path, "shared/") && !serves(path) && !strings.HasSuffix(path, "test")
}
