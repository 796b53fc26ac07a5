// Package sandbox restricts expressions of expr-lang, so that none can run for long and none can read anything but its
// environment. The server uses it for conditions and templates, the handler http for responses.
package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

// Rules configure what is allowed. Ranges and nested loops are never allowed.
type Rules struct {
	// CheckCalls refuses calls of functions and methods that are not listed below. Without it, only the compiler checks
	// calls.
	CheckCalls bool
	Functions  []string // a listed one must be called: as a value it is refused
	Methods    []string

	NoLet    bool // refuses let, and a second expression behind a semicolon
	NoDollar bool // refuses names that begin with $, such as $env
}

// Kind is the machine-readable reason of a Refusal.
type Kind string

// The kinds of refusals.
const (
	KindCall     Kind = "call"     // a function or method that is not listed
	KindCallee   Kind = "callee"   // a call of something that is neither a function nor a method
	KindFunction Kind = "function" // the name of a function that is not called
	KindName     Kind = "name"     // a name that begins with $, or of a function of the library that is not listed
	KindRange    Kind = "range"
	KindLet      Kind = "let"
	KindLoop     Kind = "loop"
)

// Refusal explains why an expression is refused.
type Refusal struct {
	Kind    Kind
	Name    string   // of KindCall, KindFunction and KindName
	At      int      // of KindFunction: the number of its first character, from 1
	Known   []string // of KindCall: the names that may be called
	Problem string   // a clause, such as: ranges are not known here
	Remedy  string   // a clause that tells the author what to write instead
}

// Guard is a visitor for expr.Patch that checks one expression. It visits every node, children first, and changes none.
type Guard struct {
	rules   Rules
	refusal *Refusal
	bare    []*ast.IdentifierNode // names of functions that no call has followed yet
}

// New makes a guard for one expression.
func New(rules Rules) *Guard { return &Guard{rules: rules} }

// Refusal returns the first thing that the guard refused; nil if there is none. It is complete after the last visit.
func (g *Guard) Refusal() *Refusal {
	if g.refusal != nil || len(g.bare) == 0 {
		return g.refusal
	}
	first := g.bare[0]
	if !slices.Contains(g.rules.Functions, first.Value) {
		g.refuse(unknownName(first.Value))
		return g.refusal
	}
	g.refuse(Refusal{
		Kind: KindFunction, Name: first.Value, At: first.Location().From + 1,
		Problem: first.Value + " is a function, and it is not called",
		Remedy:  "write " + first.Value + "(…) to call it, or the whole name of a value",
	})
	return g.refusal
}

func unknownName(name string) Refusal {
	return Refusal{
		Kind: KindName, Name: name,
		Problem: name + " is not known here", Remedy: "name params, tick, batch or outputs",
	}
}

// identifier checks a name. The compiler would accept the name of a function as a value, which no expression can use.
func (g *Guard) identifier(x *ast.IdentifierNode) {
	_, ofLibrary := builtin.Index[x.Value]
	switch {
	case g.rules.NoDollar && strings.HasPrefix(x.Value, "$"):
		g.refuse(unknownName(x.Value))
	case slices.Contains(g.rules.Functions, x.Value), g.rules.CheckCalls && ofLibrary:
		g.bare = append(g.bare, x)
	}
}

// used takes names from those that must still be called.
func (g *Guard) used(is func(*ast.IdentifierNode) bool) { g.bare = slices.DeleteFunc(g.bare, is) }

// Visit implements ast.Visitor.
func (g *Guard) Visit(node *ast.Node) {
	switch x := (*node).(type) {
	case *ast.BuiltinNode:
		g.call(x.Name, g.rules.Functions)
	case *ast.CallNode:
		g.callee(x.Callee)
	case *ast.IdentifierNode:
		g.identifier(x)
	case *ast.BinaryNode:
		if x.Operator == ".." {
			g.refuse(Refusal{Kind: KindRange, Problem: "ranges are not known here", Remedy: "compare with >= and <="})
		}
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		if declared, ok := x.(*ast.VariableDeclaratorNode); ok {
			g.used(func(name *ast.IdentifierNode) bool { return name.Value == declared.Name })
		}
		if g.rules.NoLet {
			g.refuse(Refusal{
				Kind: KindLet, Problem: "let and a second expression are not known here",
				Remedy: "write one expression",
			})
		}
	case *ast.PredicateNode:
		inner := &loopFinder{}
		ast.Walk(&x.Node, inner)
		if inner.found {
			g.refuse(Refusal{
				Kind: KindLoop, Problem: "a loop within a loop is not allowed here",
				Remedy: "compute it in a task and read its output",
			})
		}
	}
}

// callee checks the function or method that a call names.
func (g *Guard) callee(callee ast.Node) {
	switch x := callee.(type) {
	case *ast.IdentifierNode:
		g.used(func(name *ast.IdentifierNode) bool { return name == x })
		g.call(x.Value, g.rules.Functions)
	case *ast.MemberNode:
		g.call(Name(x.Property), g.rules.Methods)
	default:
		if g.rules.CheckCalls {
			g.refuse(Refusal{
				Kind: KindCallee, Problem: "only functions and methods can be called", Remedy: "take the call out",
			})
		}
	}
}

// call checks that the name of a function or method is allowed.
func (g *Guard) call(name string, allowed []string) {
	if g.rules.CheckCalls && !slices.Contains(allowed, name) {
		g.refuse(Refusal{
			Kind: KindCall, Name: name, Known: allowed,
			Problem: fmt.Sprintf("%s() is not known here", name), Remedy: "use one of " + strings.Join(allowed, ", "),
		})
	}
}

// refuse keeps the first refusal.
func (g *Guard) refuse(r Refusal) {
	if g.refusal == nil {
		g.refusal = &r
	}
}

// Name returns the name of a property, such as region in params.region. It returns an empty string if the name is
// computed.
func Name(property ast.Node) string {
	if s, ok := property.(*ast.StringNode); ok {
		return s.Value
	}
	return ""
}

// loopFinder is a visitor that finds a predicate, which is the loop body of all, any, filter and similar functions.
type loopFinder struct{ found bool }

// Visit implements ast.Visitor.
func (l *loopFinder) Visit(node *ast.Node) {
	if _, ok := (*node).(*ast.PredicateNode); ok {
		l.found = true
	}
}
