package samtemplate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/infra/local/samtemplate/tree"
)

const (
	httpAPI = "AWS::Serverless::HttpApi"
	// anyMethod and integration are keys that API Gateway defines for OpenAPI documents.
	anyMethod   = "x-amazon-apigateway-any-method"
	integration = "x-amazon-apigateway-integration"
)

// invocation matches the URI of an integration, which calls a function's alias, and captures the logical id of the function.
var invocation = regexp.MustCompile(`/functions/\$\{(\w+)\.Arn\}:` + alias + `/invocations$`)

func (t *Template) readRoutes() error {
	if len(t.named(httpAPI)) == 0 {
		return nil
	}
	name, api, err := t.only(httpAPI)
	if err != nil {
		return err
	}
	authorizer, err := t.authorizer(tree.Object(api["Auth"]))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for path, operations := range tree.Object(tree.At(api, "DefinitionBody", "paths")) {
		for method, operation := range tree.Object(operations) {
			function, err := t.integrated(operation)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, path, err)
			}
			route := Route{Path: path, Method: strings.ToUpper(method), Function: function, Authorizer: authorizer}
			if method == anyMethod {
				route.Method = "ANY"
			}
			// NONE declares that no authorizer is asked.
			if slices.ContainsFunc(tree.List(tree.At(operation, "security")), func(s any) bool { return tree.At(s, "NONE") != nil }) {
				route.Authorizer = ""
			}
			t.Routes = append(t.Routes, route)
		}
	}
	slices.SortFunc(t.Routes, func(a, b Route) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return nil
}

func (t *Template) authorizer(auth map[string]any) (string, error) {
	name := tree.Text(auth["DefaultAuthorizer"])
	if name == "" {
		return "", nil
	}
	settings := tree.Object(tree.At(auth, "Authorizers", name))
	function, ok := of(settings["FunctionArn"], "Sub", ".Arn}:"+alias)
	function = strings.TrimPrefix(function, "${")
	if _, known := t.Functions[function]; !ok || !known {
		return "", fmt.Errorf("authorizer %s: FunctionArn is not that of a function's alias", name)
	}
	if tree.Text(settings["AuthorizerPayloadFormatVersion"]) != "2.0" || tree.Text(settings["EnableSimpleResponses"]) != "true" {
		return "", fmt.Errorf("authorizer %s: only payload 2.0 with simple responses is known", name)
	}
	return function, nil
}

func (t *Template) integrated(operation any) (string, error) {
	target := tree.Object(tree.Object(operation)[integration])
	if tree.Text(target["type"]) != "aws_proxy" || tree.Text(target["payloadFormatVersion"]) != "2.0" {
		return "", errors.New("only aws_proxy with payload 2.0 is known")
	}
	uri, ok := of(target["uri"], "Sub", "")
	match := invocation.FindStringSubmatch(uri)
	if !ok || match == nil {
		return "", errors.New("the integration's uri names no function's alias")
	}
	if _, known := t.Functions[match[1]]; !known {
		return "", fmt.Errorf("no function %s", match[1])
	}
	return match[1], nil
}
