package document

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schemaJSON []byte

// Schema is the JSON Schema (draft 2020-12) of a schedule: every field with its type, default and meaning. Parse checks
// more than a schema can say, and says it better; editors and other tools use this one.
func Schema() []byte { return slices.Clone(schemaJSON) }
