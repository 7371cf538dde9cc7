package main

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/shared/table/keyspace"
)

const (
	templateFile = "template.yaml"
	// defaultRoute takes the requests that match no prefix.
	defaultRoute = "$default"
)

//go:embed templates
var templates embed.FS

// blocks are the generated parts of the template, by the names that stand in their marks.
func blocks() []string {
	return []string{
		"aliases of routes", "routes", "functions", "signers of tokens", "users of codes", "users of refresh tokens", "users of chains",
		"users of secrets of webhooks", "sealers", "rights of the authorizer", "rights of deliver", "variables of deliver",
		"rights of dispatch",
		"rights of the worker", "variables of messages", "calls of messages",
	}
}

// Variables returns what the template gives the function's own variables, by their names.
func (d declaration) Variables() map[string]string {
	values := callees(d.Calls)
	if d.Seals() {
		values["SEAL_KEY"] = "!Ref SealKey"
	}
	for name, parameter := range d.Environment {
		values[name] = "!Ref " + parameter
	}
	if d.Invoked {
		// It has no right to these keys and no use for their names.
		for _, name := range []string{"SIGNING_KEYS", "CODE_KEYS", "REFRESH_KEYS", "CHAIN_KEYS", "HOOK_KEYS"} {
			values[name] = "''"
		}
	}
	return values
}

// callees returns the variables of a function that calls others: at the alias, so that a release calls what it was deployed with.
func callees(names []string) map[string]string {
	values := map[string]string{}
	for _, name := range names {
		values[strings.ToUpper(name)+"_FUNCTION"] = "!Ref " + title(name) + "FunctionAliaslive"
	}
	return values
}

// workerCalls lists the functions that are called for the messages of all groups.
func workerCalls(all []declaration) []string {
	var names []string
	for _, d := range all {
		names = append(names, d.WorkerCalls...)
		if d.Packs {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ID returns the first part of the names that a group's resources have in the template.
func (d declaration) ID() string { return title(d.Name) }

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// route is one path of the gateway.
type route struct {
	Path, Group string
	Default     bool // it takes what no other route takes
	First       bool // of its group: it says what the group's integration is, and the others repeat it
}

// routesOf lists the gateway's routes to the groups, sorted by path, with the default route at the end.
func routesOf(all []declaration) []route {
	var routes, last []route
	for _, d := range all {
		for _, prefix := range d.Prefixes {
			if prefix == defaultRoute {
				last = append(last, route{Path: prefix, Group: d.Name, Default: true})
				continue
			}
			routes = append(routes, route{Path: prefix, Group: d.Name}, route{Path: prefix + "/{proxy+}", Group: d.Name})
		}
	}
	slices.SortFunc(routes, func(a, b route) int { return strings.Compare(a.Path, b.Path) })
	routes = append(routes, last...)
	seen := map[string]bool{}
	for i, r := range routes {
		routes[i].First = !seen[r.Group]
		seen[r.Group] = true
	}
	return routes
}

// deployed returns the template with newly generated blocks. Text outside of the blocks is written by people, and is
// kept.
func deployed(source []byte, all []declaration, others map[string]role) ([]byte, error) {
	texts := template.Must(template.New("").Funcs(template.FuncMap{
		"routes": routesOf, "working": workerCalls, "callees": callees, "title": title, "has": slices.Contains[[]string],
		"actions": actions, "user": user, "using": using, "wrapped": wrapped, "quoted": quoted, "statement": statement,
		"role":     func(name string) role { return others[name] },
		"segments": func() string { return keyspace.Segments },
	}).ParseFS(templates, "templates/template.yaml.tmpl"))
	for _, name := range blocks() {
		var b bytes.Buffer
		err := texts.ExecuteTemplate(&b, name, all)
		if err == nil {
			source, err = replaced(source, name, b.Bytes())
		}
		if err != nil {
			return nil, err
		}
	}
	return source, nil
}

// replaced returns the source with a new text between the two marks of a block.
func replaced(source []byte, name string, text []byte) ([]byte, error) {
	begin, end := "# Begin of generated "+name, "# End of generated "+name
	before, rest, found := bytes.Cut(source, []byte(begin))
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed || bytes.Contains(after, []byte(begin)) {
		return nil, fmt.Errorf("%s needs one line %q and one %q after it", templateFile, begin, end)
	}
	indent := before[bytes.LastIndexByte(before, '\n')+1:]
	return slices.Concat(before, []byte(begin), line, text, []byte("\n"), indent, []byte(end), after), nil
}

// user writes the statement of a key's policy about a function that uses it. It names the account, and the role by how its name begins: KMS
// refuses the policy of a key that names a role which it doesn't know yet.
func user(id string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "\n          - Sid: " + id + "\n            Effect: Allow\n            Principal: *account\n            Action: " +
		actions("kms", names) + "\n            Resource: '*'\n            Condition:\n              ArnLike:\n" +
		"                aws:PrincipalArn: " +
		"!Sub 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-" + id + "Role-*'"
}

// using writes the statement of a role about keys of a use, which the list of a parameter names, or else the stack's own.
func using(use string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	sid, own := use+"Keys", "!GetAtt "+use+"Key.Arn"
	resource := "!If [Has" + use + "Keys, !Split [',', !Ref " + use + "Keys], " + own + "]"
	switch {
	case use == "Seal":
		sid, resource = "SealKey", own
	case use == "Signing" && !slices.Contains(names, "Sign"):
		sid = "PublicKeys"
	}
	return "\n              - Sid: " + sid + "\n                Effect: Allow\n                Action: " + actions("kms", names) +
		"\n                Resource: " + resource
}

// actions writes one action, or a list of several.
func actions(service string, names []string) string {
	if len(names) == 1 {
		return service + ":" + names[0]
	}
	return "[" + service + ":" + strings.Join(names, ", "+service+":") + "]"
}

// wrapped writes one key pattern, or a list of several in lines that are not too long.
func wrapped(patterns []string) string {
	const width, before, margin = 120, "                    dynamodb:LeadingKeys: ", "                      "
	one := "[" + strings.Join(patterns, ", ") + "]"
	switch {
	case len(patterns) == 1:
		return patterns[0]
	case len(before+one) <= width:
		return one
	}
	text, line := "[\n", margin+patterns[0]
	for _, p := range patterns[1:] {
		if len(line+", "+p+",") > width {
			text, line = text+line+",\n", margin+p
		} else {
			line += ", " + p
		}
	}
	return text + line + "]"
}

// quoted returns a text quoted for YAML.
func quoted(text string) (string, error) {
	b, err := yaml.Marshal(text)
	return strings.TrimSuffix(string(b), "\n"), err
}

// statement writes a statement as it was written, in its place in the list.
func statement(n yaml.Node) (string, error) {
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode([]*yaml.Node{&n}); err != nil {
		return "", err
	}
	const indent = "              "
	return indent + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", "\n"+indent), nil
}
