package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// misnamed returns functions and types whose doc comment does not begin with their name. Most often, such a comment was
// left behind by a renaming. The comment of a test says what the test shows, so it needs no name.
func (t *tree) misnamed() []string {
	var places []string
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		words := strings.Fields(doc.Text())
		if len(words) > 0 && strings.Trim(words[0], ".,:'()") != name.Name {
			flaw := fmt.Sprintf("the doc comment of %s begins with %q", name.Name, words[0])
			places = append(places, t.place(name.Pos())+": "+flaw)
		}
	}
	for _, s := range t.sources {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if !s.test() || !isTest(d.Name.Name) {
					check(d.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok && typ.Doc != nil {
						check(typ.Name, typ.Doc)
					} else if ok && !d.Lparen.IsValid() {
						check(typ.Name, d.Doc)
					}
				}
			}
		}
	}
	return places
}

// isTest reports whether a function of a test file is run by go test.
func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
