package web

import (
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// routesJSON lists the addresses of the front end's pages. A test of its router compares the two.
//
//go:embed routes.json
var routesJSON []byte

// routes are the addresses of pages, split at slashes. A part that begins with $ matches any text.
type routes [][]string

func readRoutes() routes {
	var list []string
	if err := json.Unmarshal(routesJSON, &list); err != nil {
		panic("web: " + err.Error()) // compiled in, and tested
	}
	all := make(routes, len(list))
	for i, pattern := range list {
		all[i] = strings.Split(pattern, "/")
	}
	return all
}

// has reports whether a clean path is the address of a page. It ignores case, as the front end's router does.
func (r routes) has(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(r, func(pattern []string) bool {
		return slices.EqualFunc(pattern, parts, func(want, part string) bool {
			return strings.EqualFold(want, part) || strings.HasPrefix(want, "$") && part != ""
		})
	})
}

// reserved reports whether a path is never a page: a path of another handler, or one that looks like a file.
func reserved(name string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	return top == "api" || top == "thrift" || strings.HasPrefix(name+"/", hashed) || strings.Contains(name, "/.") ||
		path.Ext(name) != ""
}
