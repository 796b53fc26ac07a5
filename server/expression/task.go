package expression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// FieldErrors are the errors in the params of a task, by name.
type FieldErrors []FieldError

// FieldError is an error in one param.
type FieldError struct {
	Field string // params.command
	Err   error
}

// Error lists the fields with their errors on one line.
func (e FieldErrors) Error() string {
	words := make([]string, 0, len(e))
	for _, one := range e {
		words = append(words, one.Field+": "+one.Err.Error())
	}
	return strings.Join(words, "; ")
}

// Zone returns the time zone of a definition. It was checked when the definition was saved. If this machine does not
// know it any more, Zone returns UTC.
func Zone(def *hive.Definition) *time.Location {
	zone, err := time.LoadLocation(def.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Values returns the params of a batch: the given values, and the defaults of the definition for the others.
func Values(def *hive.Definition, given map[string]any) map[string]any {
	all := maps.Clone(def.Params)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, given)
	return all
}

// Fill sets the input of the handler in an assignment: the task's params with every `${{ }}` filled in by the rules of
// the handler's schema, the batch's values, and the environment variables. A secret becomes a mark with the attempt's
// key, or *** without a key. It calls env only if an expression needs it,
// because env collects the outputs of the whole batch. The error is FieldErrors if params cannot be rendered; values
// and environment variables are set anyway.
func (c *Cache) Fill(
	as *hive.Assignment, t *hive.Task, values map[string]any, r *hive.Rendering, env func() map[string]any,
) error {
	as.Env = taskEnv(values, as)
	var err error
	if as.Values, err = json.Marshal(values); err != nil {
		return fmt.Errorf("write values: %w", err)
	}
	m := &marks{key: as.Key}
	params, err := c.renderParams(t.Params, r, env, m)
	if err != nil {
		return err
	}
	as.Secrets = m.used
	as.Connections = nil
	for _, name := range slices.Sorted(maps.Keys(params)) {
		text, _ := params[name].(string)
		if r.Field(name).Connection() && hive.IsConnectionName(text) && !slices.Contains(as.Connections, text) {
			as.Connections = append(as.Connections, text)
		}
	}
	if as.Params, err = json.Marshal(params); err != nil {
		return fmt.Errorf("write params: %w", err)
	}
	return nil
}

// taskEnv returns the environment variables that a task gets from its batch. Params keep their names. These are lower
// case by rule, so they cannot replace PATH or LD_PRELOAD.
func taskEnv(params map[string]any, as *hive.Assignment) map[string]string {
	env := make(map[string]string, len(params)+8)
	for k, v := range params {
		env[k] = envText(v)
	}
	env["HIVEGO_BATCH"] = strconv.FormatInt(as.BatchID, 10)
	env["HIVEGO_SCHEDULE"] = as.Schedule
	env["HIVEGO_JOB"] = as.Job
	env["HIVEGO_TASK"] = as.Task
	env["HIVEGO_ATTEMPT"] = as.Ref().Name()
	env["HIVEGO_ROUND"] = strconv.Itoa(as.Round)
	env["HIVEGO_MOMENT"] = as.Moment.UTC().Format(time.RFC3339)
	return env
}

func envText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}

// AddEvent adds the end that a hook follows to its environment variables. It adds nothing for nil.
func AddEvent(env map[string]string, e *hive.HookEvent) {
	if e == nil {
		return
	}
	env["HIVEGO_EVENT_SCOPE"], env["HIVEGO_EVENT_KEY"] = string(e.Scope), e.Key
	env["HIVEGO_EVENT_STATE"], env["HIVEGO_EVENT_ERROR"], env["HIVEGO_EVENT_TASK"] = string(e.State), e.Error, e.Task
	env["HIVEGO_EVENT_BATCH"] = strconv.FormatInt(e.Batch, 10)
	env["HIVEGO_EVENT_ROUND"] = strconv.Itoa(e.Round)
}
