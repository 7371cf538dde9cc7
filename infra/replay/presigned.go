package main

import (
	"html"
	"net/http"
	"regexp"
)

// signed is a presigned request in an answer.
type signed struct{ method, url string }

// links finds the presigned addresses in a text, which may be a page.
const links = `https?://[^\s"'<>]+[?&;]X-Amz-[^\s"'<>]+`

// presigned returns the presigned requests in an answer. An address is for reading unless a method stands beside it.
func presigned(tree any) (all []signed) {
	switch v := tree.(type) {
	case string:
		for _, link := range regexp.MustCompile(links).FindAllString(v, -1) {
			all = append(all, signed{http.MethodGet, html.UnescapeString(link)})
		}
	case []any:
		for _, item := range v {
			all = append(all, presigned(item)...)
		}
	case map[string]any:
		for name, item := range v {
			found := presigned(item)
			if method, ok := v["method"].(string); ok && name == "url" {
				for i := range found {
					found[i].method = method
				}
			}
			all = append(all, found...)
		}
	}
	return all
}
