// Package layers says which packages of the platform may import which, and finds
// those that do not keep to it. Its test reads the real imports.
//
//	shared/…              knows no group; but for what serves requests, no HTTP
//	functions/<g>/<noun>  a domain: knows no HTTP, and of the domains those of a lower rank
//	functions/<g>         a face: knows any domain and no other face
//	functions/<g>/lambda  knows its face
//	infra/…               knows them all, and none of them knows it
//
// What never goes in here: rules about packages of others, which are lint's.
package layers

import (
	"fmt"
	"slices"
	"strings"
)

// Domains are ranked: each may import those before it. A rule that spans two of
// them in one transaction lives in the higher one.
func Domains() []string {
	return []string{
		"tenants/company", "tenants/staff",
		"clients/client",
	}
}

// worker is the face that carries out the messages of all others.
const worker = "worker"

// loners are faces that every request passes, whatever group it is for: they know
// no domain.
func loners() []string { return []string{"authorizer", "fallback"} }

// serves tells whether a package is about requests, beside the faces.
func serves(path string) bool {
	return slices.Contains([]string{"shared/web/resource", "shared/app"}, path) || path == "shared/web" || strings.HasPrefix(path, "shared/web/")
}

// isHTTP tells whether an import is HTTP. A bucket's addresses are HTTP's too, which
// is no request of ours.
func isHTTP(from, to string) bool { return serves(to) || to == "net/http" && from != "shared/files" }

// Package is a package of the module and what it imports: of the module without its
// name, and of the standard library.
type Package struct {
	Path    string
	Imports []string
}

// Faults are the imports that are not allowed, and the domains without a rank.
func Faults(packages []Package) (faults []string) {
	for _, p := range packages {
		group, noun, ok := split(p.Path)
		if isDomain(noun) && ok && !slices.Contains(Domains(), group+"/"+noun) {
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

// split is the group and the noun of a package below functions/; the noun of a
// face is "".
func split(path string) (group, noun string, ok bool) {
	rest, ok := strings.CutPrefix(path, "functions/")
	if !ok {
		return "", "", false
	}
	group, noun, _ = strings.Cut(rest, "/")
	return group, noun, true
}

const main = "lambda"

func isDomain(noun string) bool { return noun != "" && noun != main }

// refused says why one package may not import another; "" where it may.
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
	case slices.Contains(loners(), group):
		return "every request passes it, so it knows no group"
	case isDomain(noun) && toNoun == "":
		return "a domain knows no face"
	case isDomain(noun) && rank(toGroup, toNoun) >= rank(group, noun):
		return "of the domains it knows those of a lower rank"
	case noun == "" && toNoun == "" && group != worker:
		return "a face knows no other"
	}
	return ""
}

func rank(group, noun string) int { return slices.Index(Domains(), group+"/"+noun) }

// knowsNoHTTP tells whether a package has no business with requests: domains, and
// whatever keeps records.
func knowsNoHTTP(path string) bool {
	_, noun, inFunctions := split(path)
	if inFunctions {
		return isDomain(noun)
	}
	return strings.HasPrefix(path, "shared/") && !serves(path)
}
