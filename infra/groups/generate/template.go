package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

const (
	templateFile = "template.yaml"
	// defaultRoute takes the requests that match no prefix.
	defaultRoute = "$default"
)

// blocks are the generated parts of the template, with the names that stand in their marks.
//
//nolint:lll // a line of the template is a line here
var blocks = []struct{ name, text string }{
	{"routes", `
{{- range routes .}}
{{- if .First}}
          {{.Path}}:
            x-amazon-apigateway-any-method:
{{- if .Default}}
              isDefaultRoute: true
{{- end}}
              x-amazon-apigateway-integration: &{{.Group}}
                type: aws_proxy
                httpMethod: POST
                payloadFormatVersion: '2.0'
                uri: !Sub 'arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${ {{- title .Group -}} Function.Arn}/invocations'
{{- else}}
          {{.Path}}: {x-amazon-apigateway-any-method: { {{- if .Default}}isDefaultRoute: true, {{end}}x-amazon-apigateway-integration: *{{.Group}}}}
{{- end}}
{{- end}}`},
	{"functions", `
{{- range $i, $g := .}}{{if $i}}
{{end}}
  {{.ID}}Function:
    Type: AWS::Serverless::Function
    Metadata:
      BuildMethod: go1.x
      BuildProperties:
        TrimGoPath: true
    Properties:
      Description: {{quoted .Description}}
      CodeUri: functions/{{.Name}}/lambda/
      Role: !GetAtt {{.ID}}Role.Arn
      LoggingConfig:
        LogGroup: !Ref {{.ID}}Log
{{- with .Memory}}
      MemorySize: {{.}}
{{- end}}
{{- with .Timeout}}
      Timeout: {{.}}
{{- end}}
{{- with .Variables}}
      Environment:
        Variables:
{{- range $name, $value := .}}
          {{$name}}: {{$value}}
{{- end}}
{{- end}}
{{- if not .Invoked}}

  {{.ID}}Permission:
    Type: AWS::Lambda::Permission
    Properties:
      Action: lambda:InvokeFunction
      FunctionName: !Ref {{.ID}}Function
      Principal: apigateway.amazonaws.com
      SourceArn: !Sub 'arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*'
{{- end}}

  {{.ID}}Log:
    Type: AWS::Logs::LogGroup
    Properties:
      LogGroupName: !Sub '/tenantry/${AWS::StackName}/{{.Name}}'
      RetentionInDays: !Ref LogRetentionDays

  {{.ID}}Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: '2012-10-17'
        Statement:
          - Effect: Allow
            Action: sts:AssumeRole
            Principal:
              Service: lambda.amazonaws.com
      Policies:
        - PolicyName: {{.Name}}
          PolicyDocument:
            Version: '2012-10-17'
            Statement:
              - Sid: Logs
                Effect: Allow
                Action: [logs:CreateLogStream, logs:PutLogEvents]
                Resource: !GetAtt {{.ID}}Log.Arn
{{- rights .}}
{{- with .Files}}
{{- if not $g.Invoked}}
              # A presigned request can do what its signer may do, so these are the rights of uploads and downloads too.
{{- end}}
              - Sid: Files
                Effect: Allow
                Action: {{actions "s3" .Actions}}
                Resource:
{{- range .Folders}}
                  - !Sub '${Bucket.Arn}/{{.}}/*'
{{- end}}
{{- if not $g.Invoked}}
              # Without it S3 answers 403 instead of 404 for bytes that aren't there, and a missing upload would look
              # like a fault of ours.
              - Sid: MissingFiles
                Effect: Allow
                Action: s3:ListBucket
                Resource: !GetAtt Bucket.Arn
{{- end}}
{{- end}}
{{- if and .Signing (not (has .Signing "Sign"))}}
              - Sid: PublicKeys
                Effect: Allow
                Action: {{actions "kms" .Signing}}
                Resource: !If [HasSigningKeys, !Split [',', !Ref SigningKeys], !GetAtt SigningKey.Arn]
{{- end}}
{{- with .Calls}}
{{- template "calls" .}}
{{- end}}
{{- range .Other}}
{{statement .}}
{{- end}}
{{- end}}`},
	// The function's role may not name a key whose policy names the role: key and role would wait for each other.
	{"signers of tokens", `{{range .}}{{if has .Signing "Sign"}}{{user .ID .Signing}}{{end}}{{end}}`},
	{"users of codes", `{{range .}}{{with $d := .}}{{with .Codes}}{{user $d.ID .}}{{end}}{{end}}{{end}}`},
	{"users of refresh tokens", `{{range .}}{{with $d := .}}{{with .Refresh}}{{user $d.ID .}}{{end}}{{end}}{{end}}`},
	{"users of chains", `{{range .}}{{with $d := .}}{{with .Chain}}{{user $d.ID .}}{{end}}{{end}}{{end}}`},
	{"sealers", `{{range .}}{{with $d := .}}{{with .Seal}}{{user $d.ID .}}{{end}}{{end}}{{end}}`},
	{"rights of the authorizer", `{{- rightsOf "authorizer"}}`},
	{"rights of the worker", `{{- rightsOf "worker"}}`},
	{"variables of the worker", `
{{- range $name, $value := callees (working .)}}
          {{$name}}: {{$value}}
{{- end}}`},
	{"calls of the worker", `
{{- with working .}}
{{- template "calls" .}}
{{- end}}`},
}

// callsText is a statement about the functions that are called.
const callsText = `{{define "calls"}}
              - Sid: Calls
                Effect: Allow
                Action: lambda:InvokeFunction
                Resource:
{{- range .}}
                  - !GetAtt {{title .}}Function.Arn
{{- end}}
{{- end}}`

// Variables returns what the template gives the function's own variables, by their names.
func (d declaration) Variables() map[string]string {
	values := callees(d.Calls)
	if len(d.Seal) > 0 {
		values["SEAL_KEY"] = "!Ref SealKey"
	}
	for name, parameter := range d.Environment {
		values[name] = "!Ref " + parameter
	}
	if d.Invoked {
		// It has no right to these keys and no use for their names. With them CloudFormation would go round in a circle:
		// a key's policy names a role, the role names the function that it calls, and the function names the key.
		for _, name := range []string{"SIGNING_KEYS", "CODE_KEYS", "REFRESH_KEYS", "CHAIN_KEYS"} {
			values[name] = "''"
		}
	}
	return values
}

// callees returns the variables of a function that calls others.
func callees(names []string) map[string]string {
	values := map[string]string{}
	for _, name := range names {
		values[strings.ToUpper(name)+"_FUNCTION"] = "!Ref " + title(name) + "Function"
	}
	return values
}

// workerCalls lists the functions that the worker calls for the messages of all groups.
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
func deployed(source []byte, all []declaration, others map[string]access) ([]byte, error) {
	for _, block := range blocks {
		var b bytes.Buffer
		t := template.Must(template.New(block.name).Funcs(template.FuncMap{
			"routes":    routesOf,
			"working":   workerCalls,
			"callees":   callees,
			"title":     title,
			"has":       slices.Contains[[]string],
			"actions":   actions,
			"user":      user,
			"rights":    func(d declaration) (string, error) { return rights(d.access) },
			"rightsOf":  func(name string) (string, error) { return rights(others[name]) },
			"quoted":    quoted,
			"statement": statement,
		}).Parse(block.text + callsText))
		if err := t.Execute(&b, all); err != nil {
			return nil, err
		}
		var err error
		if source, err = replaced(source, block.name, b.Bytes()); err != nil {
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

// user writes the statement of a key's policy about a function.
func user(id string, names []string) string {
	return "\n          - Sid: " + id + "\n            Effect: Allow\n            Principal:\n              AWS: !GetAtt " + id +
		"Role.Arn\n            Action: " + actions("kms", names) + "\n            Resource: '*'"
}

// actions writes one action, or a list of several.
func actions(service string, names []string) string {
	if len(names) == 1 {
		return service + ":" + names[0]
	}
	return "[" + service + ":" + strings.Join(names, ", "+service+":") + "]"
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
