// Package sandbox restricts expressions of expr-lang, so that none can run for long and none can read anything but its
// environment. The server uses it for conditions and templates, the handler http for responses.
package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Rules configure what is allowed. Ranges and nested loops are never allowed.
type Rules struct {
	// CheckCalls refuses calls of functions and methods that are not listed below. Without it, only the compiler checks
	// calls.
	CheckCalls bool
	Functions  []string
	Methods    []string

	NoLet    bool // refuses let, and a second expression behind a semicolon
	NoDollar bool // refuses names that begin with $, such as $env
}

// Kind is the machine-readable reason of a Refusal.
type Kind string

// The kinds of refusals.
const (
	KindCall   Kind = "call"   // a function or method that is not listed
	KindCallee Kind = "callee" // a call of something that is neither a function nor a method
	KindName   Kind = "name"   // a name that begins with $
	KindRange  Kind = "range"
	KindLet    Kind = "let"
	KindLoop   Kind = "loop"
)

// Refusal explains why an expression is refused.
type Refusal struct {
	Kind    Kind
	Name    string   // of KindCall and KindName: the unknown name
	Known   []string // of KindCall: the names that may be called
	Problem string   // a clause, such as: ranges are not known here
	Remedy  string   // a clause that tells the author what to write instead
}

// Guard is a visitor for expr.Patch that checks one expression. It visits every node, children first, and changes none.
type Guard struct {
	rules   Rules
	refusal *Refusal
}

// New makes a guard for one expression.
func New(rules Rules) *Guard { return &Guard{rules: rules} }

// Refusal returns the first thing that the guard refused; nil if there is none.
func (g *Guard) Refusal() *Refusal { return g.refusal }

// Visit implements ast.Visitor.
func (g *Guard) Visit(node *ast.Node) {
	switch x := (*node).(type) {
	case *ast.BuiltinNode:
		g.call(x.Name, g.rules.Functions)
	case *ast.CallNode:
		g.callee(x.Callee)
	case *ast.IdentifierNode:
		if g.rules.NoDollar && strings.HasPrefix(x.Value, "$") {
			g.refuse(Refusal{
				Kind: KindName, Name: x.Value,
				Problem: x.Value + " is not known here", Remedy: "name params, tick, batch or outputs",
			})
		}
	case *ast.BinaryNode:
		if x.Operator == ".." {
			g.refuse(Refusal{Kind: KindRange, Problem: "ranges are not known here", Remedy: "compare with >= and <="})
		}
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
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
