// Package docs holds the API description for those that serve it. The file is
// written by infra/openapi from the groups' operations (`make openapi`).
package docs

import _ "embed"

//go:embed openapi.json
var openAPI []byte

// OpenAPI is the API description, OpenAPI 3.1 as JSON. All callers share its bytes, so they must not change them.
func OpenAPI() []byte { return openAPI }
