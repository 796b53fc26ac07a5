package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

// Preview renders one task of a document for a manual batch at a moment before any task has run: the outputs of other
// tasks are null. CodeInvalid: the document cannot be read, or does not accept the batch's params. CodeNotFound: it has
// no such task. All other faults are part of the answer.
func (s *Service) Preview(ctx context.Context, r hive.PreviewRequest) (hive.Preview, error) {
	handlers, err := s.handlers(ctx)
	if err != nil {
		return hive.Preview{}, err
	}
	release, err := s.parsing.acquire(ctx, len(r.Definition))
	if err != nil {
		return hive.Preview{}, err
	}
	defer release()
	n, err := s.namedFor(ctx, r.Definition)
	if err != nil {
		return hive.Preview{}, err
	}
	l := s.lookup(ctx)
	def, faults := document.Read(r.Definition, document.Options{
		Handlers: handlers, Now: s.now(), Calendars: l.find,
		Secrets: n.secrets, Connections: n.connections, Pools: n.pools,
	})
	if l.err != nil {
		return hive.Preview{}, l.err
	}
	if def == nil {
		return hive.Preview{}, &hive.Error{
			Code: hive.CodeInvalid, Words: "the document cannot be read", Reason: hive.ErrorUnread,
			Faults: unplaced(faults),
		}
	}
	job, task, path := find(def, r.Task)
	if task == nil {
		return hive.Preview{}, hive.Errorf(hive.CodeNotFound, "the document has no task %.80q", r.Task).
			WithReason(hive.ErrorNoDocumentTask, "task", r.Task)
	}
	given, err := document.Params(def, r.Params)
	if err != nil {
		return hive.Preview{}, err
	}
	at := r.At
	if at.IsZero() {
		at = s.moment()
	}
	p := &preview{
		def: def, task: task, values: expression.Values(def, given), at: at, language: expression.NewCache(0),
		days: l.days(at, expression.Zone(def)),
	}
	p.out.Faults = ofTask(faults, path)
	as := hive.Assignment{
		Schedule: def.Name, Job: job, Task: task.Key, Handler: task.Handler, Number: 1, Round: 1, Moment: at,
		Workspace: def.Name,
	}
	p.fill(&as, handlers)
	p.when()
	return p.out, nil
}

// preview is the state of one call of Preview.
type preview struct {
	def      *hive.Definition
	task     *hive.Task
	values   map[string]any
	at       time.Time
	language *expression.Cache
	days     map[string]expression.Day
	out      hive.Preview
}

// env returns the environment of expressions before any task has run.
func (p *preview) env() map[string]any {
	return expression.Env(p.values, p.at, expression.Zone(p.def), string(hive.KindManual), 1, nil, p.days)
}

// fill renders the task's params. If no executor offers the handler it renders none, and adds a fault.
func (p *preview) fill(as *hive.Assignment, handlers []hive.Handler) {
	t := *p.task
	i := slices.IndexFunc(handlers, func(h hive.Handler) bool { return h.Name == t.Handler })
	var rendering *hive.Rendering
	if i >= 0 {
		rendering = hive.ReadRendering(handlers[i].Schema)
	} else {
		f := hive.NewFault("unknown_handler", hive.FaultHandlerAway, `no executor offers the handler "‹value›" now`,
			"start an executor that does: it says what is filled in", "value", hive.Escaped(t.Handler, 80))
		f.Warning = true
		p.fault("handler", f)
		t.Params = nil
	}
	err := p.language.Fill(as, &t, p.values, rendering, p.env)
	if as.Env != nil {
		as.Env["HIVEGO_BATCH"], as.Env["HIVEGO_ATTEMPT"] = "", "" // there are none yet, and their numbers are unknown
	}
	p.out.Env, p.out.Values, p.out.Params = as.Env, as.Values, as.Params
	if i < 0 {
		p.out.Params = nil
	}
	bad, ok := errors.AsType[expression.FieldErrors](err)
	if err != nil && !ok {
		p.fault("params", wrongIn(err))
	}
	for _, one := range bad {
		p.fault(one.Field, wrongIn(one.Err))
	}
}

// when evaluates the task's condition.
func (p *preview) when() {
	if p.task.When == "" {
		return
	}
	yes, err := p.language.Bool(p.task.When, p.env())
	if err != nil {
		p.fault("when", wrongIn(err))
		return
	}
	p.out.When = &yes
}

// fault adds a fault, unless the check of the document has found one at the same path.
func (p *preview) fault(path string, f hive.Fault) {
	f.Path = path
	if !slices.ContainsFunc(p.out.Faults,
		func(o hive.Fault) bool { return o.Path == path || strings.HasPrefix(o.Path, path+".") }) {
		p.out.Faults = append(p.out.Faults, f)
	}
}

// wrongIn turns an error of an expression into a fault.
func wrongIn(err error) hive.Fault { return hive.FaultOf(err, "bad_expression") }

// find finds the first task with a key, its job and its path. The task is nil if there is none.
func find(def *hive.Definition, key string) (job string, task *hive.Task, path string) {
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			if task := &def.Jobs[j].Tasks[t]; task.Key == key {
				return def.Jobs[j].Key, def.Jobs[j].Effective(task), fmt.Sprintf("jobs[%d].tasks[%d].", j, t)
			}
		}
	}
	return "", nil, ""
}

// ofTask picks the faults that keep the task at a path from being rendered. Their paths become fields of the task.
func ofTask(faults []hive.Fault, path string) []hive.Fault {
	var out []hive.Fault
	for _, f := range unplaced(faults) {
		field, ok := strings.CutPrefix(f.Path, path)
		if ok && (field == "when" || field == "handler" || field == "params" || strings.HasPrefix(field, "params.")) {
			f.Path = field
			out = append(out, f)
		}
	}
	return out
}

// unplaced removes lines and columns from faults, because the user never saw the text that they refer to.
func unplaced(faults []hive.Fault) []hive.Fault {
	for i := range faults {
		faults[i].Line, faults[i].Column = 0, 0
	}
	return faults
}
