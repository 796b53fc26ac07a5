package document

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schemaJSON []byte

// Schema returns the JSON Schema (draft 2020-12) of a schedule for editors and other tools: every field with its type,
// default and meaning. Parse checks more than a schema can express, with better messages.
func Schema() []byte { return slices.Clone(schemaJSON) }
