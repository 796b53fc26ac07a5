package hive

import "encoding/json"

// RenderMode is the x-render of a field in a handler's JSON Schema: how its texts accept the values of a batch.
type RenderMode string

// The render modes. In a field of another mode, or of none, `${{ }}` is refused.
const (
	RenderPlain RenderMode = "plain" // `${{ }}` is filled in unchanged
	RenderURL   RenderMode = "url"   // `${{ }}` is filled in percent-encoded, so that it stays one part of an address
	RenderJSON  RenderMode = "json"  // `${{ }}` is filled in as JSON, so that it stays one value
	RenderShell RenderMode = "shell" // as written; values are environment variables
	RenderSQL   RenderMode = "sql"   // as written; values are bind values
)

// Fills reports whether `${{ }}` is filled in.
func (m RenderMode) Fills() bool { return m == RenderPlain || m == RenderURL || m == RenderJSON }

// Rendering tells for each field of a handler's params how texts accept values. Nil stands for a field that accepts
// none.
type Rendering struct {
	mode   RenderMode
	secret bool // x-secrets: `${{ secrets.NAME }}` is filled in too
	named  bool // x-connection: the name of a connection
	fields map[string]*Rendering
	rest   *Rendering // of fields that are not declared
	items  *Rendering
}

// ReadRendering reads the x-render of all fields in a JSON Schema. It returns nil for an invalid schema.
func ReadRendering(schema string) *Rendering {
	var raw any
	if json.Unmarshal([]byte(schema), &raw) != nil {
		return nil
	}
	return readRendering(raw)
}

func readRendering(raw any) *Rendering {
	schema, ok := raw.(map[string]any)
	if !ok {
		return nil
	}
	mode, _ := schema["x-render"].(string)
	secret, _ := schema["x-secrets"].(bool)
	named, _ := schema["x-connection"].(bool)
	r := &Rendering{
		mode: RenderMode(mode), secret: secret, named: named, rest: readRendering(schema["additionalProperties"]),
		items: readRendering(schema["items"]),
	}
	fields, _ := schema["properties"].(map[string]any)
	for name, field := range fields {
		if r.fields == nil {
			r.fields = make(map[string]*Rendering, len(fields))
		}
		r.fields[name] = readRendering(field) // nil is stored too: a declared field does not fall under rest
	}
	return r
}

// Field returns the rendering of a field of this object. Everything below a field inherits a mode that fills in, and
// whether it may have secrets.
func (r *Rendering) Field(name string) *Rendering {
	if r == nil {
		return nil
	}
	field, known := r.fields[name]
	if !known {
		field = r.rest
	}
	return r.inherit(field)
}

// Item returns the rendering of the items of this list.
func (r *Rendering) Item() *Rendering {
	if r == nil {
		return nil
	}
	return r.inherit(r.items)
}

func (r *Rendering) inherit(below *Rendering) *Rendering {
	if !r.mode.Fills() {
		return below
	}
	if below == nil {
		return &Rendering{mode: r.mode, secret: r.secret}
	}
	if below.mode != "" {
		return below
	}
	own := *below
	own.mode, own.secret = r.mode, r.secret
	return &own
}

// Secrets reports whether a text here may have secrets. A percent-encoded address may not: addresses are logged.
func (r *Rendering) Secrets() bool {
	return r != nil && r.secret && (r.mode == RenderPlain || r.mode == RenderJSON)
}

// Connection reports whether a text here is the name of a connection. Only fields of the params themselves may be.
func (r *Rendering) Connection() bool { return r != nil && r.named }

// Mode returns the mode of a text here.
func (r *Rendering) Mode() RenderMode {
	if r == nil {
		return ""
	}
	return r.mode
}
