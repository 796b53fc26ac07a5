package document

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The limits of how many schemas within a schema are visited for one document: a base, and more for each value of its
// params. Two lines of a schema can ask for 2^50 visits, if each of them requires the next one twice.
const (
	someSteps     = 20_000
	stepsPerValue = 200
)

// steps counts them, in the place of a vocabulary.
type steps struct{ left int }

// tooManySteps ends a validation from within.
type tooManySteps struct{}

// count makes every schema that c compiles take a step each time it is looked at.
func (s *steps) count(c *jsonschema.Compiler) {
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL:     "hivego:steps",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) { return s, nil },
	})
	c.AssertVocabs()
}

// Validate implements jsonschema.SchemaExt.
func (s *steps) Validate(*jsonschema.ValidatorContext, any) {
	if s.left--; s.left < 0 {
		panic(tooManySteps{})
	}
}

// check holds params against the schema. A schema that takes too many steps is of no use: from then on all params are
// taken.
func (k *handler) check(params any) (err error) {
	k.steps.left += stepsPerValue * values(params)
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooManySteps); !ok {
				panic(r)
			}
			k.schema, err = nil, nil
		}
	}()
	return k.schema.Validate(params)
}

// values is how many there are in a value, itself included.
func values(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			n += values(one)
		}
	case map[string]any:
		for _, one := range v {
			n += values(one)
		}
	}
	return n
}

// maxSchemaDepth is how deep a schema may nest: twice as deep as what it describes. The time that compiling takes grows
// with the third power of it.
const maxSchemaDepth = 2*maxDepth + 2

// deeper says that a value nests deeper than it may.
func deeper(v any, most int) bool {
	switch v := v.(type) {
	case []any:
		return most == 0 || slices.ContainsFunc(v, func(one any) bool { return deeper(one, most-1) })
	case map[string]any:
		for _, one := range v {
			if deeper(one, most-1) {
				return true
			}
		}
		return most == 0
	default:
		return false
	}
}
