package document

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The limits of how many subschemas a validation of params may visit: a base, and more for each value of the params. A
// short schema can require 2^50 visits if each of its definitions refers to the next one twice.
const (
	someSteps     = 20_000
	stepsPerValue = 200
)

// steps counts the visits. It hooks into the validation as a vocabulary.
type steps struct{ left int }

// tooManySteps is the panic that ends a validation.
type tooManySteps struct{}

// count makes c compile schemas that count a step at each visit.
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

// check validates params by the schema. If that takes too many steps, the handler accepts any params from then on.
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

// values counts the values in a value, including itself.
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

// maxSchemaDepth is how deep a schema may nest: twice as deep as the values that it describes. The time to compile a
// schema grows with the third power of its depth.
const maxSchemaDepth = 2*maxDepth + 2

// deeper reports whether a value nests deeper than most.
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
