package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// schema is a schema of openapi.yaml.
type schema struct {
	Ref                  string            `json:"$ref"`
	Type                 string            `json:"type"`
	Format               string            `json:"format"`
	Nullable             bool              `json:"nullable"`
	GoType               string            `json:"x-go-type"`
	Enum                 []string          `json:"enum"`
	Minimum, Maximum     *int64            ``
	MinLength, MaxLength *int              ``
	MaxItems             *int              `json:"maxItems"`
	Items                *schema           `json:"items"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties json.RawMessage   `json:"additionalProperties"`
}

// asked describes the requests of an operation in openapi.yaml.
type asked struct {
	Parameters []struct {
		Ref      string `json:"$ref"`
		Name, In string
		Schema   schema
	}
	RequestBody struct {
		Content map[string]struct{ Schema schema }
	}
}

// at returns the value at a pointer in the document.
func (s *spec) at(t *testing.T, ref string, into any) {
	t.Helper()
	v := s.raw
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		v = v.(map[string]any)[strings.ReplaceAll(part, "~1", "/")]
	}
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
}

func (s *spec) schema(t *testing.T, of schema) schema {
	t.Helper()
	for of.Ref != "" {
		ref := of.Ref
		of = schema{}
		s.at(t, ref, &of)
	}
	return of
}

// wrong lists JSON values that a schema forbids, one for each of its rules.
func (s *spec) wrong(t *testing.T, of schema) map[string]string {
	t.Helper()
	of = s.schema(t, of)
	bad := map[string]string{}
	if !of.Nullable {
		bad["null"] = "null"
	}
	kinds := map[string]string{"string": `"x"`, "integer": "1", "boolean": "true", "array": "[]", "object": "{}"}
	for kind, value := range kinds {
		if kind != of.Type {
			bad["a "+kind] = value
		}
	}
	switch of.Type {
	case "integer":
		bad["a fraction"] = "1.5"
		if of.Minimum != nil {
			bad["less"] = strconv.FormatInt(*of.Minimum-1, 10)
		}
		if of.Maximum != nil {
			bad["more"] = strconv.FormatInt(*of.Maximum+1, 10)
		}
	case "string":
		if len(of.Enum) > 0 {
			bad["another word"], bad["no word"] = `"nonsense"`, `""`
		}
		if of.MinLength != nil {
			bad["too short"] = `"` + strings.Repeat("x", *of.MinLength-1) + `"`
		}
		if of.MaxLength != nil {
			bad["too long"] = `"` + strings.Repeat("数", *of.MaxLength+1) + `"`
		}
	case "array":
		for name, value := range s.wrong(t, *of.Items) {
			bad["with "+name] = "[" + value + "]"
		}
		if of.MaxItems != nil {
			bad["too many"] = `["x"` + strings.Repeat(`,"x"`, *of.MaxItems) + `]`
		}
	case "object":
		var others schema
		if json.Unmarshal(of.AdditionalProperties, &others) == nil && others.Type != "" {
			for name, value := range s.wrong(t, others) {
				bad["with "+name] = `{"x":` + value + `}`
			}
		}
	}
	return bad
}

// A request is refused for each value that its schema forbids: a value beyond each limit of each query parameter and
// body field, null, and a value of every other kind.
func TestWhatTheSchemaForbids(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tried := 0
	w.spec.each(t, func(method, path string, op operation) {
		good, ok := samples()[op.OperationID]
		if !ok {
			t.Fatalf("%s has no sample", op.OperationID)
		}
		var a asked
		w.spec.at(t, "#/paths/"+strings.ReplaceAll(path, "/", "~1")+"/"+strings.ToLower(method), &a)
		for _, p := range a.Parameters {
			if p.Ref != "" {
				w.spec.at(t, p.Ref, &p)
			}
			if p.In == "query" {
				of := w.spec.schema(t, p.Schema)
				tried += w.forbidden(good, p.Name, w.spec.wrong(t, of), inQuery(of))
			}
		}
		body, ok := a.RequestBody.Content["application/json"]
		if of := w.spec.schema(t, body.Schema); ok && of.GoType == "" {
			for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
				tried += w.forbidden(good, name, w.spec.wrong(t, of.Properties[name]), inBody)
			}
		}
	})
	if tried < 300 {
		t.Errorf("only %d values were tried", tried)
	}
}

// forbidden expects that a good call is refused with each of these values, and returns how many there were.
func (w *world) forbidden(good call, name string, bad map[string]string,
	put func(call, string, string) (call, bool),
) (tried int) {
	w.Helper()
	for why, value := range bad {
		c, fits := put(good, name, value)
		if !fits {
			continue
		}
		tried++
		r := w.do(c)
		if p := r.problem(w); r.StatusCode != http.StatusBadRequest || p.Code != "invalid" ||
			!strings.Contains(p.Detail, name) &&
				!strings.Contains(p.Detail, "time") {
			w.Errorf("%s %s, %s that is %s (%.40s): %d %s", c.method, good.path, name, why, value, r.StatusCode, r.body)
		}
	}
	return tried
}

func inBody(c call, name, value string) (call, bool) {
	fields := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(c.body), &fields)
	fields[name] = json.RawMessage(value)
	text, _ := json.Marshal(fields)
	c.body = string(text)
	return c, true
}

// inQuery writes a value into a query. A parameter of free text accepts all kinds.
func inQuery(of schema) func(c call, name, value string) (call, bool) {
	free := of.Type == "string" && len(of.Enum) == 0 && of.Format == ""
	return func(c call, name, value string) (call, bool) {
		path, _, _ := strings.Cut(c.path, "?")
		text := strings.Trim(value, `"`)
		if list, ok := strings.CutPrefix(value, "["); ok {
			text = strings.ReplaceAll(strings.TrimSuffix(list, "]"), `"`, "")
		}
		long := of.MaxLength != nil && utf8.RuneCountInString(text) > *of.MaxLength
		return call{c.method, path + "?" + name + "=" + url.QueryEscape(text), c.body, c.headers}, long || !free
	}
}
