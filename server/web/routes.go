package web

import (
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// routesJSON are the addresses of the pages. The front end makes the pages; a test of its router compares the two.
//
//go:embed routes.json
var routesJSON []byte

// routes are the addresses of pages, each cut at its slashes. A part that begins with $ stands for any text.
type routes [][]string

func readRoutes() routes {
	var list []string
	if err := json.Unmarshal(routesJSON, &list); err != nil {
		panic("web: " + err.Error()) // it is compiled in, and tested
	}
	all := make(routes, len(list))
	for i, pattern := range list {
		all[i] = strings.Split(pattern, "/")
	}
	return all
}

// has says whether a clean path is the address of a page. The router of the front end does not mind capitals either.
func (r routes) has(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(r, func(pattern []string) bool {
		return slices.EqualFunc(pattern, parts, func(want, part string) bool {
			return strings.EqualFold(want, part) || strings.HasPrefix(want, "$") && part != ""
		})
	})
}

// reserved are paths that are never pages: those of others, and of what looks like a file.
func reserved(name string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	return top == "api" || top == "thrift" || strings.HasPrefix(name+"/", hashed) || strings.Contains(name, "/.") ||
		path.Ext(name) != ""
}
