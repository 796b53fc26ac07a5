package document

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// handlers checks the params of tasks against the schemas of their handlers.
type handlers struct {
	offered map[string]hive.Handler
	known   map[string]*handler // compiled handlers by name, only the used ones
	names   []string
	x       *expressions
	group   string // of the task that is checked
	printer *message.Printer
}

type handler struct {
	schema *jsonschema.Schema // nil if it cannot be compiled
	raw    any                // the schema as values, for the names of its fields
	render *hive.Rendering
	steps  *steps
}

// newHandlers compiles no schemas yet, because executors may offer hundreds that no task uses.
func newHandlers(offered []hive.Handler, x *expressions) *handlers {
	h := &handlers{
		offered: map[string]hive.Handler{}, known: map[string]*handler{}, x: x,
		printer: message.NewPrinter(language.English),
	}
	for _, k := range offered {
		if _, ok := h.offered[k.Name]; ok {
			continue
		}
		h.offered[k.Name] = k
		h.names = append(h.names, k.Name)
	}
	return h
}

// get returns a handler with its compiled schema. If the schema cannot be compiled, the handler accepts any params,
// because that is a fault of its executor and not of the schedule.
func (h *handlers) get(name string) (*handler, bool) {
	if k, ok := h.known[name]; ok {
		return k, true
	}
	offered, ok := h.offered[name]
	if !ok {
		return nil, false
	}
	k := compileHandler(offered.Schema)
	h.known[name] = k
	return k, true
}

func compileHandler(schema string) *handler {
	if schema == "" {
		return &handler{}
	}
	raw, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil || deeper(raw, maxSchemaDepth) {
		return &handler{}
	}
	k := &handler{raw: raw, render: hive.ReadRendering(schema), steps: &steps{left: someSteps}}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	k.steps.count(c)
	if err := c.AddResource("hivego:handler", raw); err != nil {
		return k
	}
	if compiled, err := c.Compile("hivego:handler"); err == nil {
		k.schema = compiled
	}
	return k
}

// noLoader prevents schemas from loading files and URLs.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a handler's schema may not refer to %s", url)
}

// faults lists the faults in handlers and params of all tasks. Without known handlers it lists none.
func (h *handlers) faults(def *hive.Definition) []hive.Fault {
	if len(h.offered) == 0 {
		return nil
	}
	out := h.hooks("", def.Hooks())
	for j := range def.Jobs {
		out = append(out, h.hooks(fmt.Sprintf("jobs[%d]", j), def.Jobs[j].Hooks())...)
		for t := range def.Jobs[j].Tasks {
			if len(out) > graph.MaxFaults {
				return out
			}
			path, task := fmt.Sprintf("jobs[%d].tasks[%d]", j, t), def.Jobs[j].Effective(&def.Jobs[j].Tasks[t])
			out = append(out, h.task(path, j, task)...)
			out = append(out, h.hooks(path, task.Hooks())...)
		}
	}
	return out
}

// hooks lists the faults in the hooks of the schedule, of a job or of a task.
func (h *handlers) hooks(path string, of hive.Hooks) []hive.Fault {
	var out []hive.Fault
	for _, list := range of.Lists() {
		for i := range list.Hooks {
			hook := &list.Hooks[i]
			call := hive.Task{Handler: hook.Handler, Group: hook.Group, Params: hook.Params}
			out = append(out, h.task(fmt.Sprintf("%s[%d]", join(path, list.Name), i), inHook, &call)...)
		}
	}
	return out
}

func (h *handlers) task(path string, j int, t *hive.Task) []hive.Fault {
	k, ok := h.get(t.Handler)
	if !ok {
		u := unknown{hive.FaultUnknownHandler, hive.FaultUnknownHandlerNear, "start an executor that does"}
		f := u.fault(codeUnknownHandler, `no executor offers the handler "‹value›" now`, t.Handler, h.names,
			"value", hive.Escaped(t.Handler, len(t.Handler)))
		f.Warning = true
		return []hive.Fault{f.At(path + ".handler")}
	}
	h.group = t.EffectiveGroup()
	out := h.validate(path+".params", k, t.Params)
	for _, name := range slices.Sorted(maps.Keys(t.Params)) {
		field := k.render.Field(name)
		out = append(out, h.renders(path+".params."+name, j, t.Params[name], field)...)
		if field.Connection() {
			out = append(out, h.x.connectionFaults(path+".params."+name, t.Params[name], h.group)...)
		}
	}
	return out
}

func (h *handlers) validate(path string, k *handler, params map[string]any) []hive.Fault {
	if k.schema == nil {
		return nil
	}
	value := any(params)
	if params == nil {
		value = map[string]any{}
	}
	err := k.check(value)
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil
	}
	if isEndless(invalid) {
		k.schema = nil
		return nil
	}
	var out []hive.Fault
	h.leaves(path, k, value, invalid, &out)
	return out
}

// isEndless reports whether a validation failed because the schema refers to itself without end. That is a fault of the
// schema, not of the params.
func isEndless(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	return slices.ContainsFunc(e.Causes, isEndless)
}

// leaves turns the innermost errors of a validation into faults.
func (h *handlers) leaves(path string, k *handler, params any, e *jsonschema.ValidationError, out *[]hive.Fault) {
	switch e.ErrorKind.(type) {
	// the causes of these are less clear than the error itself
	case *kind.OneOf, *kind.AnyOf, *kind.PropertyNames, *kind.Contains:
	default:
		if len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				h.leaves(path, k, params, cause, out)
			}
			return
		}
	}
	*out = append(*out, h.fault(path, k, params, e)...)
}

// aboutRemedy returns a remedy for a value at a location: the description in the schema, if there is one.
func aboutRemedy(schema any, location []string) string {
	remedy := "see what the handler takes"
	for _, part := range location {
		schema = inside(schema, part)
		if text, _ := member(schema, "description").(string); text != "" {
			remedy = "it is for: " + hive.Clean(strings.TrimSuffix(text, "."), 300)
		}
	}
	return remedy
}

// schemaAt returns the schema of the value at a location of the params.
func schemaAt(schema any, location []string) any {
	for _, part := range location {
		schema = inside(schema, part)
	}
	return schema
}

// exampleOf returns a valid text from the examples or the default of a schema, or "" if there is none.
func exampleOf(schema any) string {
	if all, _ := member(schema, "examples").([]any); len(all) > 0 {
		if text, ok := all[0].(string); ok {
			return hive.Clean(text, 80)
		}
	}
	text, _ := member(schema, "default").(string)
	return hive.Clean(text, 80)
}

// instance converts a location in params to a path.
func instance(params any, location []string) string {
	var b strings.Builder
	for _, part := range location {
		switch at := params.(type) {
		case []any:
			fmt.Fprintf(&b, "[%s]", part)
			var i int
			if _, err := fmt.Sscan(part, &i); err == nil && i < len(at) {
				params = at[i]
			}
		case map[string]any:
			b.WriteString("." + part)
			params = at[part]
		}
	}
	return b.String()
}

// renders checks every text in a parameter for ${{ }}. These are only filled in where the schema has x-render.
// Elsewhere they would be pasted into code.
func (h *handlers) renders(path string, j int, value any, r *hive.Rendering) []hive.Fault {
	var out []hive.Fault
	switch v := value.(type) {
	case string:
		switch mode := r.Mode(); {
		case mode.Fills():
			return h.filled(path, j, v, r)
		case expression.HasTemplate(v):
			return []hive.Fault{notRendered(path, mode)}
		}
	case []any:
		for i, one := range v {
			out = append(out, h.renders(fmt.Sprintf("%s[%d]", path, i), j, one, r.Item())...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, h.renders(path+"."+name, j, v[name], r.Field(name))...)
		}
	}
	return out
}

// filled checks a text whose ${{ }} are filled in.
func (h *handlers) filled(path string, j int, text string, r *hive.Rendering) []hive.Fault {
	if strings.Contains(text, "${{") {
		if faults := h.x.template(path, j, text); len(faults) > 0 {
			return faults
		}
		if faults := h.x.secretFaults(path, text, h.group, r.Secrets()); len(faults) > 0 {
			return faults
		}
	}
	if r.Mode() != hive.RenderJSON || strings.TrimSpace(text) == "" {
		return nil
	}
	if err := expression.CheckJSON(text); err != nil {
		return []hive.Fault{hive.FaultOf(err, codeBadHandlerParams).At(path)}
	}
	return nil
}

func notRendered(path string, mode hive.RenderMode) hive.Fault {
	const pasted = "${{ }} is not filled in here: it would be pasted into code"
	var f hive.Fault
	switch mode {
	case hive.RenderShell:
		f = hive.NewFault(codeNotRendered, hive.FaultTemplateShell, pasted,
			"read parameters as environment variables, such as $region, and pass anything else by env")
	case hive.RenderSQL:
		f = hive.NewFault(codeNotRendered, hive.FaultTemplateSQL, pasted,
			"read parameters as bind values, such as :region")
	default:
		f = hive.NewFault(codeNotRendered, hive.FaultTemplatePlain, "${{ }} is not filled in here",
			"write the value itself")
	}
	return f.At(path)
}

// inside returns the schema of a property or of an item; all indices have the same schema.
func inside(schema any, part string) any {
	if items, ok := member(schema, "items").(map[string]any); ok {
		return items
	}
	return under(schema, part)
}

// under returns the schema of a property.
func under(schema any, name string) any {
	if s := member(member(schema, "properties"), name); s != nil {
		return s
	}
	return member(schema, "additionalProperties")
}

// properties returns the property names of a schema at a location, sorted.
func properties(schema any, location []string) []string {
	for _, part := range location {
		schema = inside(schema, part)
	}
	known, _ := member(schema, "properties").(map[string]any)
	return slices.Sorted(maps.Keys(known))
}

// member returns a field of a JSON object, or nil if there is none.
func member(value any, name string) any {
	if m, ok := value.(map[string]any); ok {
		return m[name]
	}
	return nil
}
