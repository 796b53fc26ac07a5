package owner_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// If params cannot be rendered, no executor gets the attempt. Its error names the first of these params, with a reason.
func TestParamsThatCannotBeRendered(t *testing.T) {
	t.Parallel()
	null := map[string]string{
		"words":   `${{ outputs.a.rows }} gives null; write ?? "…" for what may be null, and name a single value`,
		"because": string(hive.FaultTemplateNotSingle), "source": "${{ outputs.a.rows }}", "value": "null",
	}
	const rows = `"${{ outputs.a.rows }}"`
	for _, c := range []struct {
		params, words string
		reason        hive.SentenceReason
		more          map[string]string
	}{
		{
			`{command: ` + rows + `}`, "params.command: " + null["words"],
			hive.SentenceParam,
			map[string]string{"field": "params.command"},
		},
		{
			`{command: ` + rows + `, env: {A: ` + rows + `}, workdir: ` + rows + `}`,
			"params.command: " + null["words"] + " (there are errors in params.env, params.workdir too)",
			hive.SentenceParams,
			map[string]string{"field": "params.command", "others": "params.env, params.workdir"},
		},
	} {
		f := newFixture(t)
		f.Renders = hive.ReadRendering(`{"properties":{"command":{"x-render":"plain"}}}`)
		f.Add(1, 1, hive.BatchQueued, "", "a", "b")
		rev := &f.Batches[1].Revision
		rev.Document = strings.Replace(rev.Document, "key: b, handler: shell, params: {command: x}",
			"key: b, handler: shell, params: "+c.params, 1)
		f.load(1)
		f.settle()
		f.ends(1, "a")
		f.settle()

		assert.Zero(t, f.Attempt(1, "b"))
		assert.Equal(t, hive.RunFailed, f.states(1)["b"])
		attempts := f.Batches[1].Attempts
		require.Len(t, attempts, 2)
		refused := &attempts[1]
		assert.Equal(t, hive.OutcomeRefused, refused.Outcome)
		assert.Equal(t, c.words, refused.Error)
		maps.Copy(c.more, null)
		assert.Equal(t, &hive.TextReason{Code: c.reason, Params: c.more}, refused.Reasons.OfError())
	}
}
