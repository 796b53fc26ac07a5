package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of the measures.
const (
	longFunction  = 100 // lines, signature and closing brace included
	longFile      = 400 // lines
	longLine      = 120 // columns; a tab is as wide as four
	wideInterface = 8   // methods, with those of embedded interfaces
)

const module = "github.com/rprp/hivego/"

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// source is one Go file that people write.
type source struct {
	name string // from the root, with slashes
	text []byte
	file *ast.File
}

// test reports whether the file is a test.
func (s *source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

// tree is all Go code that people write.
type tree struct {
	set     *token.FileSet
	sources []*source
	ports   map[string]*ast.InterfaceType // by "folder.Name"
}

// skipped are folders without code of this project.
func skipped(name string) bool {
	return slices.Contains([]string{".git", "bin", "data", "dist", "node_modules", "testdata", ".venv"}, name)
}

// parse reads all Go files below root, except generated ones.
func parse(root string) (*tree, error) {
	t := &tree{set: token.NewFileSet(), ports: map[string]*ast.InterfaceType{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a source: %w", err)
		}
		if generated.Match(text) {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return fmt.Errorf("name a source: %w", err)
		}
		rel = filepath.ToSlash(rel)
		file, err := parser.ParseFile(t.set, rel, text, parser.ParseComments)
		if err != nil {
			return fmt.Errorf("parse a source: %w", err)
		}
		t.sources = append(t.sources, &source{name: rel, text: text, file: file})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	t.collectPorts()
	return t, nil
}

func (t *tree) measures() []measure {
	return []measure{
		{name: "go-functions", places: t.longFunctions()},
		{name: "go-interfaces", places: t.wideInterfaces()},
		{name: "go-undocumented", places: t.undocumented()},
		{name: "go-misnamed", places: t.misnamed()},
		{name: "go-files", places: t.longFiles()},
		{name: "go-lines", places: t.longLines()},
	}
}

func (t *tree) place(n token.Pos) string {
	p := t.set.Position(n)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// longFunctions are those over 100 lines, function literals included.
func (t *tree) longFunctions() []string {
	var places []string
	for _, s := range t.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			name := "a function literal"
			switch f := n.(type) {
			case *ast.FuncDecl:
				name = f.Name.Name
			case *ast.FuncLit:
			default:
				return true
			}
			if lines := t.set.Position(n.End()).Line - t.set.Position(n.Pos()).Line + 1; lines > longFunction {
				places = append(places, fmt.Sprintf("%s: %s has %d lines", t.place(n.Pos()), name, lines))
			}
			return true
		})
	}
	return places
}

// longFiles are those over 400 lines.
func (t *tree) longFiles() []string {
	var places []string
	for _, s := range t.sources {
		if lines := bytes.Count(s.text, []byte("\n")); lines > longFile {
			places = append(places, fmt.Sprintf("%s: %d lines", s.name, lines))
		}
	}
	return places
}

// longLines are those over 120 columns.
func (t *tree) longLines() []string {
	var places []string
	for _, s := range t.sources {
		lines := bufio.NewScanner(bytes.NewReader(s.text))
		lines.Buffer(nil, len(s.text)+1)
		for n := 1; lines.Scan(); n++ {
			line := lines.Text()
			if columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); columns > longLine {
				places = append(places, fmt.Sprintf("%s:%d: %d columns", s.name, n, columns))
			}
		}
	}
	return places
}

// undocumented are exported symbols of product code without a doc comment.
func (t *tree) undocumented() []string {
	var places []string
	add := func(n *ast.Ident) {
		if n.IsExported() {
			places = append(places, fmt.Sprintf("%s: %s has no doc comment", t.place(n.Pos()), n.Name))
		}
	}
	for _, s := range t.sources {
		if s.test() {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && (d.Recv == nil || exportedReceiver(d.Recv)) {
					add(d.Name)
				}
			case *ast.GenDecl:
				undocumentedSpecs(d, add)
			}
		}
	}
	return places
}

func exportedReceiver(recv *ast.FieldList) bool {
	of := recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch x := of.(type) {
	case *ast.IndexExpr:
		of = x.X
	case *ast.IndexListExpr:
		of = x.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported()
}

// undocumentedSpecs: a comment over a group counts for all of the group, one behind a line for that line.
func undocumentedSpecs(d *ast.GenDecl, add func(*ast.Ident)) {
	if d.Doc != nil && d.Lparen.IsValid() || d.Tok == token.IMPORT {
		return
	}
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if d.Doc == nil && s.Doc == nil && s.Comment == nil {
				add(s.Name)
			}
		case *ast.ValueSpec:
			if d.Doc == nil && s.Doc == nil && s.Comment == nil {
				for _, n := range s.Names {
					add(n)
				}
			}
		}
	}
}

// collectPorts knows interfaces by the folder that declares them, so that embedded ones can be counted.
func (t *tree) collectPorts() {
	for _, s := range t.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if port, ok := spec.Type.(*ast.InterfaceType); ok {
					t.ports[path.Dir(s.name)+"."+spec.Name.Name] = port
				}
			}
			return true
		})
	}
}

// wideInterfaces are those of product code with more than 8 methods.
func (t *tree) wideInterfaces() []string {
	var places []string
	for _, s := range t.sources {
		if s.test() || helper(s.name) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			port, ok := spec.Type.(*ast.InterfaceType)
			if !ok {
				return true
			}
			if n := t.methods(s, port); n > wideInterface {
				places = append(places, fmt.Sprintf("%s: %s has %d methods", t.place(spec.Pos()), spec.Name.Name, n))
			}
			return true
		})
	}
	return places
}

// helper reports whether the file is in a package that only tests use.
func helper(name string) bool {
	dir := path.Dir(name)
	return strings.HasPrefix(dir, "e2e") || strings.HasSuffix(dir, "test")
}

// methods counts an interface's own methods and those of the interfaces that it embeds. One of another module counts
// as one.
func (t *tree) methods(s *source, port *ast.InterfaceType) int {
	count := 0
	for _, m := range port.Methods.List {
		if len(m.Names) > 0 {
			count += len(m.Names)
			continue
		}
		where, embedded := s, (*ast.InterfaceType)(nil)
		switch x := m.Type.(type) {
		case *ast.Ident:
			embedded = t.ports[path.Dir(s.name)+"."+x.Name]
		case *ast.SelectorExpr:
			if dir, ok := imported(s.file, x.X); ok {
				embedded = t.ports[dir+"."+x.Sel.Name]
				where = t.sourceOf(embedded)
			}
		}
		if embedded == nil {
			count++
			continue
		}
		count += t.methods(where, embedded)
	}
	return count
}

// sourceOf returns the file that declares the interface.
func (t *tree) sourceOf(port *ast.InterfaceType) *source {
	if port == nil {
		return nil
	}
	name := t.set.Position(port.Pos()).Filename
	i := slices.IndexFunc(t.sources, func(s *source) bool { return s.name == name })
	return t.sources[i]
}

// imported returns the folder of this module that a name of a package stands for in a file.
func imported(file *ast.File, x ast.Expr) (string, bool) {
	name, ok := x.(*ast.Ident)
	if !ok {
		return "", false
	}
	for _, spec := range file.Imports {
		dir := strings.Trim(spec.Path.Value, `"`)
		if spec.Name != nil && spec.Name.Name == name.Name || spec.Name == nil && path.Base(dir) == name.Name {
			return strings.CutPrefix(dir, module)
		}
	}
	return "", false
}
