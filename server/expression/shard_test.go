package expression_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

func shardEnv(part *hive.Shard) map[string]any {
	env := expression.Env(map[string]any{"regions": "east,west", "json": `["a", 2, {"k": 1.5}]`}, time.Now(), nil,
		"manual", 1, map[string]map[string]string{"find": {"files": `["x"]`}}, nil)
	env["shard"] = expression.ShardOf(part)
	expression.AddLists(env, map[string]map[string]any{"copy": {"rows": []any{"7", nil, "9"}}})
	return env
}

func TestElements(t *testing.T) {
	t.Parallel()
	c := expression.NewCache(0)
	for src, want := range map[string][]string{
		`split(params.regions, ",")`: {`"east"`, `"west"`},
		`params.json`:                {`"a"`, `2`, `{"k":1.5}`},
		`outputs.find.files`:         {`"x"`},
		`outputs.copy.rows`:          {`"7"`, `null`, `"9"`},
		`[1, 2]`:                     {`1`, `2`},
		`" [1, 2]\n"`:                {`1`, `2`},
		`[]`:                         {},
	} {
		got, err := c.Elements(src, shardEnv(nil))
		require.NoError(t, err, src)
		assert.Equal(t, want, got, src)
	}
	for src, want := range map[string]string{
		`params.regions`:                        "not a list",
		`outputs.none.files`:                    "not a list",
		`"[1] files found"`:                     "not a list",
		`"[1] [2]"`:                             "not a list",
		`"[1]]"`:                                "not a list",
		`split("` + long(1200) + `", ",")`:      "more than",
		`["` + strings.Repeat("x", 1100) + `"]`: "more than 1024 bytes",
	} {
		_, err := c.Elements(src, shardEnv(nil))
		require.ErrorContains(t, err, want, src[:min(len(src), 40)])
	}
}

// long returns a text with so many parts between commas.
func long(parts int) string { return strings.TrimSuffix(strings.Repeat("1,", parts), ",") }

func TestShardInExpressions(t *testing.T) {
	t.Parallel()
	c := expression.NewCache(0)
	part := &hive.Shard{Index: 2, Total: 5, Item: `{"name": "a", "id": 3}`}
	for src, want := range map[string]string{
		`shard.index`: "2", `shard.total`: "5", `shard.item.name`: "a", `shard.item.id + 1`: "4",
		`outputs.copy.rows[2]`: "9",
	} {
		got, err := c.Text(src, shardEnv(part))
		require.NoError(t, err, src)
		assert.Equal(t, want, got, src)
	}
	env := map[string]string{}
	expression.AddShard(env, &hive.Shard{Index: 0, Total: 2, Item: `"east"`})
	assert.Equal(t, map[string]string{
		"HIVEGO_SHARD_INDEX": "0", "HIVEGO_SHARD_TOTAL": "2", "HIVEGO_SHARD_ITEM": "east",
	}, env)
}
