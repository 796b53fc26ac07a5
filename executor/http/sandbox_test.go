package http

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The sandbox has two users with different rules. The tests of both read the same list of expressions.
func TestSandboxVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../internal/sandbox/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Expression string `json:"expression"`
		Refusal    string `json:"http"` // a part of the error; empty: it is allowed
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors) == 0 {
		t.Fatalf("%d vectors: %v", len(vectors), err)
	}
	for _, v := range vectors {
		_, err := condition("success", v.Expression)
		if allowed := err == nil; allowed != (v.Refusal == "") ||
			!allowed && !strings.Contains(err.Error(), v.Refusal) {
			t.Errorf("%s: %v, want %q", v.Expression, err, v.Refusal)
		}
	}
}
