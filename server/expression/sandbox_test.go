package expression

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Server and executor use the sandbox with different rules. Both are tested with the same list of expressions.
func TestSandboxVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../internal/sandbox/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Expression string `json:"expression"`
		Refusal    string `json:"server"` // a part of the error; empty: it is allowed
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) == 0 {
		t.Fatalf("%d vectors: %v", len(vectors), err)
	}
	for _, v := range vectors {
		err := Check(v.Expression)
		if allowed := err == nil; allowed != (v.Refusal == "") ||
			!allowed && !strings.Contains(err.Error(), v.Refusal) {
			t.Errorf("%s: %v, want %q", v.Expression, err, v.Refusal)
		}
	}
}
