package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// batchFilter has the flags that select batches.
type batchFilter struct {
	schedule, state, kind, tag, owner, executor, by string
	since, until, momentFrom, momentTo, longer      string
	live, needsPerson                               bool
	backfill, hooksOf                               int64
	given                                           []string
}

func (b *batchFilter) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.schedule, "schedule", "", "only of this schedule")
	f.StringVar(&b.tag, "tag", "", "only of schedules with this tag")
	f.StringVar(&b.owner, "owner", "", "only of schedules with this owner")
	f.StringVar(&b.state, "state", "", "only in these states, separated by commas: "+stateWords)
	f.StringVar(&b.kind, "kind", "", "only of this kind: scheduled, manual, backfill, dependent, adhoc, hook")
	f.StringVar(&b.by, "by", "", "only started by this: "+starterWords)
	f.StringVar(&b.executor, "executor", "", "only those in which this executor ran a task")
	f.StringArrayVar(&b.given, "param", nil, "only those that were given NAME=VALUE; may be repeated")
	f.StringVar(&b.since, "since", "", "only started at this MOMENT or later")
	f.StringVar(&b.until, "until", "", "only started before this MOMENT")
	f.StringVar(&b.momentFrom, "moment-from", "", "only with a logical time from this MOMENT on")
	f.StringVar(&b.momentTo, "moment-to", "", "only with a logical time before this MOMENT")
	f.StringVar(&b.longer, "longer", "", "only those that take, or took, longer than this, such as 90s or 2h")
	f.Int64Var(&b.backfill, "backfill", 0, "only those that this backfill made or ran again")
	f.Int64Var(&b.hooksOf, "hooks-of", 0, "only the hooks that follow this batch, its jobs and its tasks")
	f.BoolVar(&b.live, "live", false, "only queued and running ones")
	f.BoolVar(&b.needsPerson, "needs-person", false,
		"only failed ones that nobody has settled, and those that cannot go on without a person")
}

const (
	stateWords   = "queued, running, succeeded, failed, canceled"
	starterWords = "cron, schedule, webhook, backfill, person, or a person's name"
)

// params checks the flags.
func (b *batchFilter) params(now time.Time) (*model.ListBatchesParams, error) {
	p := &model.ListBatchesParams{
		Schedule: given(b.schedule), Tag: given(b.tag), Owner: given(b.owner), Kind: given(model.BatchKind(b.kind)),
		Live: given(b.live), NeedsPerson: given(b.needsPerson), Backfill: given(b.backfill),
		HookOf: given(b.hooksOf), Executor: given(b.executor), By: given(b.by), Longer: given(b.longer),
	}
	if b.state != "" {
		var states []model.BatchState
		for word := range strings.SplitSeq(b.state, ",") {
			s := model.BatchState(strings.TrimSpace(word))
			if !s.Valid() {
				return nil, fmt.Errorf("--state %q: one of %s", s, stateWords)
			}
			states = append(states, s)
		}
		p.State = &states
	}
	if k := model.BatchKind(b.kind); b.kind != "" && !k.Valid() {
		return nil, fmt.Errorf("--kind %q: one of scheduled, manual, backfill, dependent, adhoc, hook", b.kind)
	}
	if _, err := hive.ParseDuration(b.longer); b.longer != "" && err != nil {
		return nil, fmt.Errorf("--longer %q: write a duration such as 90s, 10m or 2h", b.longer)
	}
	var err error
	if p.Param, err = joinedParams(b.given); err != nil {
		return nil, err
	}
	for _, m := range []struct {
		flag, text string
		to         **string
	}{
		{"since", b.since, &p.Since},
		{"until", b.until, &p.Until},
		{"moment-from", b.momentFrom, &p.MomentFrom},
		{"moment-to", b.momentTo, &p.MomentTo},
	} {
		at, err := readMoment(m.flag, m.text, now)
		if err != nil {
			return nil, err
		}
		*m.to = at
	}
	return p, nil
}

// readMoment reads the value of a flag as a parameter of the API; nil for none. The server does not know the zone of
// this computer.
func readMoment(flag, text string, now time.Time) (*string, error) {
	if text == "" {
		return nil, nil
	}
	at, ok := hive.ParseMoment(text, now)
	if !ok {
		return nil, fmt.Errorf("--%s %q: write a moment such as 2026-12-24, 2026-12-24T18:00, 24h, 7d, today or "+
			"yesterday", flag, text)
	}
	return given(at.UTC().Format(time.RFC3339Nano)), nil
}

// timeFlags has the flags --since and --until of other lists.
type timeFlags struct{ since, until string }

func (f *timeFlags) bind(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&f.since, "since", "", what+" at this time or later, as in `hivego batches --help`")
	cmd.Flags().StringVar(&f.until, "until", "", what+" before this time")
}

func (f *timeFlags) read(now time.Time) (since, until *string, err error) {
	if since, err = readMoment("since", f.since, now); err != nil {
		return nil, nil, err
	}
	until, err = readMoment("until", f.until, now)
	return since, until, err
}

// joinedParams reads the values of --param as one parameter of the API, which separates them by commas; nil for none.
func joinedParams(list []string) (*string, error) {
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`)
	words := make([]string, len(list))
	for i, text := range list {
		if _, ok := hive.ParseParamFilter(text); !ok {
			return nil, fmt.Errorf("--param %q: write NAME=VALUE", text)
		}
		words[i] = escape.Replace(text)
	}
	return given(strings.Join(words, ",")), nil
}

// exportOf asks for the same batches as CSV.
func exportOf(p *model.ListBatchesParams) *model.ExportBatchesParams {
	return &model.ExportBatchesParams{
		Schedule: p.Schedule, Tag: p.Tag, Owner: p.Owner, State: p.State, Kind: p.Kind, Backfill: p.Backfill,
		HookOf: p.HookOf, Live: p.Live, NeedsPerson: p.NeedsPerson, Executor: p.Executor, By: p.By,
		Param: p.Param, Since: p.Since, Until: p.Until, MomentFrom: p.MomentFrom, MomentTo: p.MomentTo,
		Longer: p.Longer,
	}
}
