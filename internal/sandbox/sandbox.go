// Package sandbox keeps expressions of expr-lang within bounds: none may run for long, and none may read anything but
// its environment. The server uses it for conditions and templates, the handler http for answers.
package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Rules say what a user of the sandbox allows. Ranges, and a loop within a loop, are refused to all.
type Rules struct {
	// CheckCalls refuses calls of functions and methods that are not listed below. Without it, the user leaves them to
	// the compiler.
	CheckCalls bool
	Functions  []string
	Methods    []string

	NoLet    bool // refuses let, and a second expression behind a semicolon
	NoDollar bool // refuses names that begin with $, such as $env
}

// Kind says for programs what a Refusal is about.
type Kind string

// The kinds of refusals.
const (
	KindCall   Kind = "call"   // a function or method that is not listed
	KindCallee Kind = "callee" // a call of something else
	KindName   Kind = "name"   // a name that begins with $
	KindRange  Kind = "range"
	KindLet    Kind = "let"
	KindLoop   Kind = "loop"
)

// Refusal says why an expression is refused.
type Refusal struct {
	Kind    Kind
	Name    string   // of KindCall and KindName: what is not known
	Known   []string // of KindCall: what may be called instead
	Problem string   // a clause, such as: ranges are not known here
	Remedy  string   // what to do instead
}

// Guard is a visitor for expr.Patch that checks one expression. It sees every node, children first, and changes none.
type Guard struct {
	rules   Rules
	refusal *Refusal
}

// New makes a guard for one expression.
func New(rules Rules) *Guard { return &Guard{rules: rules} }

// Refusal is the first thing that the guard refused; nil if there is none.
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

// callee checks what a call names.
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

// call checks the name of a function or method.
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

// Name is the text of a fixed property, such as region in params.region; empty if the property is computed.
func Name(property ast.Node) string {
	if s, ok := property.(*ast.StringNode); ok {
		return s.Value
	}
	return ""
}

// loopFinder looks for a predicate: the body of all, any, filter and their like.
type loopFinder struct{ found bool }

// Visit implements ast.Visitor.
func (l *loopFinder) Visit(node *ast.Node) {
	if _, ok := (*node).(*ast.PredicateNode); ok {
		l.found = true
	}
}
