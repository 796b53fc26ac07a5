package app

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// Which fields of the stock handlers take secrets: none that is code, an address, or the name of a file.
func TestFieldsWithSecrets(t *testing.T) {
	t.Parallel()
	takes := map[string][][]string{
		"shell": {{"env", "A"}},
		"http":  {{"headers", "A"}, {"json"}, {"form", "A"}, {"body"}, {"auth", "password"}},
		"sql":   {{"password"}},
	}
	not := map[string][][]string{
		"shell": {{"command"}, {"workdir"}, {"interpreter"}},
		"http":  {{"url"}, {"query", "A"}, {"auth", "user"}, {"auth", "secret"}, {"poll", "url"}, {"poll", "json"}},
		"sql":   {{"connection"}, {"statement"}, {"file"}, {"output"}},
	}
	for _, h := range Handlers() {
		at := func(path []string) *hive.Rendering {
			r := hive.ReadRendering(h.Schema)
			for _, name := range path {
				r = r.Field(name)
			}
			return r
		}
		for _, path := range takes[h.Name] {
			assert.True(t, at(path).Secrets(), "%s %v", h.Name, path)
		}
		for _, path := range not[h.Name] {
			assert.False(t, at(path).Secrets(), "%s %v", h.Name, path)
		}
		delete(takes, h.Name)
	}
	assert.Empty(t, takes)
}
