package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

// Load reads all scenarios below a folder, by name. Files that begin with "_" are definitions that scenarios refer to.
func Load(dir string) ([]Scenario, error) {
	var all []Scenario
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" || strings.HasPrefix(d.Name(), "_") {
			return err
		}
		s, err := read(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name, err := filepath.Rel(dir, strings.TrimSuffix(path, ".yaml"))
		s.Name = filepath.ToSlash(name)
		all = append(all, s)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load scenarios: %w", err)
	}
	return all, nil
}

// file is the shape of a scenario file.
type file struct {
	Title      string                 `yaml:"title"`
	About      string                 `yaml:"about"`
	Definition yaml.Node              `yaml:"definition"`
	Queued     bool                   `yaml:"queued"`
	Params     map[string]any         `yaml:"params"`
	Limits     yaml.Node              `yaml:"limits"`
	Others     map[string]yaml.Node   `yaml:"others"`
	Tasks      map[string][]yaml.Node `yaml:"tasks"`
	Steps      []yaml.Node            `yaml:"steps"`
}

func read(path string) (Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Scenario{}, err
	}
	var f file
	if err := strict(data, &f); err != nil {
		return Scenario{}, err
	}
	s := Scenario{Title: f.Title, About: f.About, Queued: f.Queued, Params: f.Params, Tasks: map[string][]Behavior{}}
	if s.Definition, err = definition(&f.Definition, filepath.Dir(path)); err != nil {
		return s, err
	}
	if s.Limits, err = limitChanges(&f.Limits); err != nil {
		return s, err
	}
	s.Others = make(map[string]*hive.Definition, len(f.Others))
	for name, n := range f.Others {
		if s.Others[name], err = definition(&n, filepath.Dir(path)); err != nil {
			return s, err
		}
	}
	for keys, nodes := range f.Tasks {
		var behaviors []Behavior
		for i := range nodes {
			d, err := behavior(&nodes[i])
			if err != nil {
				return s, err
			}
			behaviors = append(behaviors, d)
		}
		for key := range strings.FieldsSeq(keys) {
			s.Tasks[key] = behaviors
		}
	}
	for i := range f.Steps {
		st := Step{Line: f.Steps[i].Line}
		if err := step(&f.Steps[i], filepath.Dir(path), &st); err != nil {
			return s, fmt.Errorf("line %d: %w", st.Line, err)
		}
		s.Steps = append(s.Steps, st)
	}
	return s, nil
}

// strict decodes YAML and refuses unknown fields.
func strict(data []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	return d.Decode(into)
}

// definition reads a schedule, given in place or by a file name. Head, name and handlers may be left out.
func definition(n *yaml.Node, dir string) (*hive.Definition, error) {
	if n.Kind == yaml.ScalarNode {
		data, err := os.ReadFile(filepath.Join(dir, n.Value))
		if err != nil {
			return nil, err
		}
		var other yaml.Node
		if err := yaml.Unmarshal(data, &other); err != nil {
			return nil, err
		}
		return definition(other.Content[0], dir)
	}
	var doc map[string]any
	if err := n.Decode(&doc); err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	def := &hive.Definition{APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "scenario"}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(def); err != nil {
		return nil, fmt.Errorf("line %d: definition: %w", n.Line, err)
	}
	for _, h := range hooksOf(def) {
		if h.Handler == "" {
			h.Handler, h.Params = "shell", map[string]any{"command": "true"}
		}
	}
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			k := &def.Jobs[j].Tasks[t]
			if k.Handler == "" {
				k.Handler, k.Params = "shell", map[string]any{"command": "true"}
			}
		}
	}
	return def, nil
}

// behavior reads "fail", {fail: 75}, or {succeed: {name: value}}.
func behavior(n *yaml.Node) (Behavior, error) {
	d := Behavior{}
	if n.Kind == yaml.MappingNode {
		var with struct {
			Succeed map[string]string
			Fail    int
		}
		if err := n.Decode(&with); err != nil {
			return d, err
		}
		switch {
		case len(n.Content) == 2 && with.Succeed != nil:
			d.Kind, d.Outputs = Succeed, with.Succeed
		case len(n.Content) == 2 && with.Fail > 0:
			d.Kind, d.Code = Fail, with.Fail
		default:
			return d, fmt.Errorf("line %d: only succeed has outputs, and only fail an exit code", n.Line)
		}
		return d, nil
	}
	d.Kind = BehaviorKind(n.Value)
	switch d.Kind {
	case Succeed, Fail, Hopeless, Timeout, Killed, Refuse, Busy, Vanish, Run, Stubborn, Unresponsive, Silent:
		return d, nil
	default:
		return d, fmt.Errorf("line %d: no attempt can %q", n.Line, n.Value)
	}
}

// step reads one line, which is a mapping with one key.
func step(n *yaml.Node, dir string, s *Step) error {
	if n.Kind == yaml.ScalarNode && n.Value == "start" {
		s.Start = true
		return nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return errors.New("a step is one key with its value")
	}
	key, value := n.Content[0].Value, n.Content[1]
	var err error
	switch key {
	case "end":
		err = endings(value, s)
	case string(Receipt), string(Return), string(Silence), string(Back), string(Lost), string(Repeat):
		s.Signal = Signal(key)
		err = value.Decode(&s.On)
	case "advance":
		s.Advance, err = time.ParseDuration(value.Value)
	case "wish":
		s.Wish = hive.Wish(value.Value)
	case "publish":
		s.Publish, err = definition(value, dir)
	case "limits":
		s.Limits, err = limitChanges(value)
	case "expect":
		err = expectation(value, s)
	default:
		err = repair(key, value, s)
	}
	return err
}

func endings(n *yaml.Node, s *Step) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		d, err := behavior(n.Content[i+1])
		if err != nil {
			return err
		}
		for key := range strings.FieldsSeq(n.Content[i].Value) {
			s.End = append(s.End, Ending{Task: key, Behavior: d})
		}
	}
	return nil
}

// repair reads a plan. The key is its action; the value has the request, and what the plan must say.
func repair(action string, n *yaml.Node, s *Step) error {
	actions := []hive.PlanAction{
		hive.PlanResume, hive.PlanRerun, hive.PlanMarkSuccess, hive.PlanMarkSkip, hive.PlanCancel, hive.PlanClose,
	}
	if !slices.Contains(actions, hive.PlanAction(action)) {
		return fmt.Errorf("there is no step %q", action)
	}
	var r struct {
		Tasks      []string          `yaml:"tasks"`
		Downstream bool              `yaml:"downstream"`
		RerunKept  []string          `yaml:"rerunKept"`
		Note       string            `yaml:"note"`
		Latest     bool              `yaml:"latest"`
		Dry        bool              `yaml:"dry"`
		Rows       map[string]string `yaml:"rows"`
		Kept       map[string]string `yaml:"kept"`
		Refused    hive.Code         `yaml:"refused"`
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	if err := strict(text, &r); err != nil {
		return err
	}
	s.Repair = &Repair{
		Request: hive.PlanRequest{
			Action: hive.PlanAction(action), Tasks: r.Tasks, Downstream: r.Downstream, RerunKept: r.RerunKept,
			Note: r.Note,
		},
		Latest: r.Latest, Dry: r.Dry, Rows: spread(r.Rows), Kept: spread(r.Kept), Refused: r.Refused,
	}
	return nil
}

// expectation reads an expectation: batch, round, and states by task.
func expectation(n *yaml.Node, s *Step) error {
	var e struct {
		Batch    string            `yaml:"batch"`
		Round    int               `yaml:"round"`
		Wish     hive.Wish         `yaml:"wish"`
		Closed   string            `yaml:"closed"`
		Tasks    map[string]string `yaml:"tasks"`
		Attempts map[string]int    `yaml:"attempts"`
		Revision int64             `yaml:"revision"`
		Hooks    map[string]string `yaml:"hooks"`
		Waits    map[string]string `yaml:"waits"`
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	if err := strict(text, &e); err != nil {
		return err
	}
	s.Expect = &Expect{
		Batch: e.Batch, Round: e.Round, Wish: e.Wish, Closed: e.Closed, Tasks: spread(e.Tasks),
		Attempts: spread(e.Attempts),
		Revision: e.Revision, Hooks: e.Hooks, Waits: spread(e.Waits),
	}
	return nil
}

// spread lets one key name several tasks: "a b c: succeeded".
func spread[V any](m map[string]V) map[string]V {
	if m == nil {
		return nil
	}
	out := map[string]V{}
	for _, keys := range slices.Sorted(maps.Keys(m)) {
		for key := range strings.FieldsSeq(keys) {
			out[key] = m[keys]
		}
	}
	return out
}
