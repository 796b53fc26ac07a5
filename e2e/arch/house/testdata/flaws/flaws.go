// Package flaws has one flaw of each kind that can be seen in a short file.
package flaws

// Narrow has five methods.
type Narrow interface {
	A()
	B()
	C()
	D()
	E()
}

// Wide has nine methods: four of its own, and those of the interface that it embeds.
type Wide interface {
	Narrow
	F()
	G()
	H()
	I()
}

type Bare struct{}

// Long is on a line of 121 columns.
const Long = ".........................................................................................................."

// former does nothing. A renaming has left its comment behind.
func renamed() {}
