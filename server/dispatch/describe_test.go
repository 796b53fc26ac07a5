package dispatch

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// A schema that is cut is none any more: the executor is told instead.
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
	most := make([]int, maxSchemas/maxSchema)
	for i := range most {
		most[i] = maxSchema
	}
	kept, err := readHandlers(schemas(most...))
	require.NoError(t, err)
	assert.Len(t, kept[0].Schema, maxSchema)
	for _, sizes := range [][]int{{maxSchema + 1}, {5 << 20}, slices.Concat(most, []int{2})} {
		_, err := readHandlers(schemas(sizes...))
		require.ErrorContains(t, err,
			"its schemas are too large: that of a handler has at most 64 KiB, all of them 1024 KiB")
	}
}
