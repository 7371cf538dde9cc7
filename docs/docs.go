// Package docs holds the API description for those that serve it. The file is
// written by infra/openapi from the groups' operations (`make openapi`).
package docs

import "embed"

//go:embed openapi.json
var files embed.FS

// OpenAPI is the API description, OpenAPI 3.1 as JSON.
func OpenAPI() []byte {
	content, err := files.ReadFile("openapi.json")
	if err != nil {
		panic(err) // it is part of the binary
	}
	return content
}
