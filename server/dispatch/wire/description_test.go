package wire

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// A schema that is too large is refused, because a part of it would be no schema.
func TestSchemasThatAreTooLarge(t *testing.T) {
	t.Parallel()
	schemas := func(sizes ...int) (out []*hivego.HandlerInfo) {
		for i, n := range sizes {
			out = append(out, &hivego.HandlerInfo{
				Name:         new("h" + strconv.Itoa(i)),
				ParamsSchema: new(strings.Repeat(" ", n-2) + "{}"),
			})
		}
		return out
	}
	most := make([]int, hivego.MAX_SCHEMAS_BYTES/hivego.MAX_SCHEMA_BYTES)
	for i := range most {
		most[i] = hivego.MAX_SCHEMA_BYTES
	}
	kept, err := ReadHandlers(schemas(most...))
	require.NoError(t, err)
	assert.Len(t, kept[0].Schema, hivego.MAX_SCHEMA_BYTES)
	for _, sizes := range [][]int{{hivego.MAX_SCHEMA_BYTES + 1}, {5 << 20}, slices.Concat(most, []int{2})} {
		_, err := ReadHandlers(schemas(sizes...))
		require.ErrorContains(t, err,
			"its schemas are too large: that of a handler has at most 64 KiB, all of them 1024 KiB")
	}
}
