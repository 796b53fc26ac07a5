// Package assets holds the files of the web interface, embedded in the binary. Go builds without them: dist is empty
// until the front end was built, and then a placeholder stands in for its first page.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

//go:embed placeholder
var placeholder embed.FS

// Index is the name of the page for every path that has no file of its own.
const Index = "index.html"

// Files returns the files to serve, with Index at their root.
func Files() fs.FS {
	return pick(within(dist, "dist"), within(placeholder, "placeholder"))
}

// Built reports whether the web interface was built before the program. Otherwise Files has a page that says how to get
// it.
func Built() bool {
	_, err := fs.Stat(within(dist, "dist"), Index)
	return err == nil
}

// pick returns built if it has a first page, and fallback otherwise.
func pick(built, fallback fs.FS) fs.FS {
	if _, err := fs.Stat(built, Index); err != nil {
		return fallback
	}
	return built
}

// within returns a folder of an embedded tree. It cannot fail: the compiler has checked the folder's name.
func within(tree embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(tree, folder)
	if err != nil {
		panic("assets: " + err.Error())
	}
	return sub
}
