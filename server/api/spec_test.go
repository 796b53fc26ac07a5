package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// spec is openapi.yaml.
type spec struct {
	Paths map[string]map[string]json.RawMessage `json:"paths"`

	raw      any
	compiler *jsonschema.Compiler
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string `json:"summary"`
	Security    *[]any `json:"security"`
	Responses   map[string]struct {
		Ref     string                    `json:"$ref"`
		Headers map[string]any            `json:"headers"`
		Content map[string]map[string]any `json:"content"`
	} `json:"responses"`
}

const specURL = "https://hivego.test/openapi.json"

func loadSpec(t *testing.T) *spec {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	s := &spec{}
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	if s.raw, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	closeObjects(s.raw)
	s.compiler = jsonschema.NewCompiler()
	s.compiler.DefaultDraft(jsonschema.Draft4)
	s.compiler.AssertFormat()
	if err := s.compiler.AddResource(specURL, s.raw); err != nil {
		t.Fatal(err)
	}
	return s
}

// closeObjects forbids fields that openapi.yaml does not name, so that an answer with an undocumented field fails.
// Parts of an allOf stay open, because each of them sees the fields of the others.
func closeObjects(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		if list, ok := v.([]any); ok {
			for _, item := range list {
				closeObjects(item)
			}
		}
		return
	}
	if _, all := m["allOf"]; all {
		return
	}
	if _, has := m["properties"].(map[string]any); has && m["type"] == "object" && m["additionalProperties"] == nil {
		if title, _ := m["description"].(string); title != "open" {
			m["additionalProperties"] = false
		}
	}
	for key, item := range m {
		if key != "BatchSummary" && key != "ScheduleSummary" && key != "DraftHead" &&
			key != "ReportGroup" { // the bases of allOf
			closeObjects(item)
		}
	}
}

// each calls f for each operation.
func (s *spec) each(t *testing.T, f func(method, path string, op operation)) {
	t.Helper()
	for path, item := range s.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			var op operation
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			f(strings.ToUpper(method), path, op)
		}
	}
}

// find returns the operation of a request's path.
func (s *spec) find(t *testing.T, method, path string) (string, operation) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	best, found := "", operation{}
	s.each(t, func(m, template string, op operation) {
		if m == method && fits(template, path) &&
			(best == "" || strings.Count(template, "{") < strings.Count(best, "{")) {
			best, found = template, op
		}
	})
	return best, found
}

func fits(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !strings.HasPrefix(a[i], "{") {
			return false
		}
	}
	return true
}

// conforms expects that an answer agrees with openapi.yaml in status, type, headers and fields.
func (s *spec) conforms(t *testing.T, method, path string, resp *http.Response, body []byte) {
	t.Helper()
	template, op := s.find(t, method, path)
	if template == "" {
		return // not in the document: 404 and 405
	}
	status := strconv.Itoa(resp.StatusCode)
	r, ok := op.Responses[status]
	pointer := "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(template) + "/" +
		strings.ToLower(method) + "/responses/" + status
	if !ok {
		pointer = "#/components/responses/Refusal"
		if r, ok = op.Responses["default"]; !ok || resp.StatusCode < 400 {
			t.Errorf("%s %s: the document has no answer %s", method, path, status)
			return
		}
	}
	for name := range r.Headers {
		if resp.Header.Get(name) == "" {
			t.Errorf("%s %s: the answer %s has no header %s", method, path, status, name)
		}
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if strings.HasSuffix(pointer, "Refusal") {
		if kind != "application/problem+json" {
			t.Errorf("%s %s: a problem of type %q", method, path, kind)
		}
	} else if _, ok := r.Content[kind]; !ok && len(r.Content) > 0 {
		t.Errorf("%s %s: the answer %s is %q", method, path, status, kind)
		return
	}
	if !strings.HasSuffix(kind, "json") {
		return
	}
	schema, err := s.compiler.Compile(specURL + pointer + "/content/" + strings.ReplaceAll(kind, "/", "~1") + "/schema")
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, body)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s %s: the answer %s is not what the document says: %v\n%s", method, path, status, err, body)
	}
}

func TestDocumentIsComplete(t *testing.T) {
	t.Parallel()
	s := loadSpec(t)
	ids := map[string]string{}
	s.each(t, func(method, path string, op operation) {
		place := fmt.Sprintf("%s %s", method, path)
		if op.OperationID == "" || op.Summary == "" {
			t.Errorf("%s has no operationId or no summary", place)
		}
		if other, twice := ids[op.OperationID]; twice {
			t.Errorf("%s and %s share the operationId %s", place, other, op.OperationID)
		}
		ids[op.OperationID] = place
		if _, ok := op.Responses["default"]; !ok && strings.HasPrefix(path, "/api/") {
			t.Errorf("%s does not say how it fails", place)
		}
		open := slices.Contains([]string{"getHealth", "getReadiness", "getSetup", "setUp", "logIn"}, op.OperationID)
		if open != (op.Security != nil && len(*op.Security) == 0) {
			t.Errorf("%s: only the probes and what lets people in are open", place)
		}
	})
}
