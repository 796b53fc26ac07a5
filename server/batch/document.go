package batch

import (
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// write returns the canonical text of a generated definition, and its hash.
func write(def *hive.Definition) (text, hash string, err error) {
	doc, faults := document.FromDefinition(def, document.Options{Stored: true})
	if doc == nil {
		return "", "", &hive.Error{
			Code: hive.CodeInternal, Words: "the definition of the batch cannot be written",
			Faults: faults,
		}
	}
	return string(doc.Canonical), doc.Hash, nil
}
