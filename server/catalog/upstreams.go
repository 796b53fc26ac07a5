package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// others finds the schedules that a document waits for. It reads each at most once, and only those that the document
// names or that lie behind them.
type others struct {
	read func(name string) (other, error)
	list func() ([]string, error)
	seen map[string]other
	err  error // the first one; after it no schedule is found
}

type other struct {
	schedule.Known
	found bool
}

func (s *Service) others(ctx context.Context) *others {
	return &others{
		seen: map[string]other{},
		read: func(name string) (other, error) { return s.other(ctx, name) },
		list: func() ([]string, error) { return s.directory.ScheduleNames(ctx) },
	}
}

func (s *Service) other(ctx context.Context, name string) (other, error) {
	h, err := s.schedules.Schedule(ctx, name)
	renamed := hive.RenamedTo(err)
	if renamed != "" {
		h, err = s.schedules.Schedule(ctx, renamed)
	}
	if hive.CodeOf(err) == hive.CodeNotFound {
		return other{}, nil
	}
	if err != nil {
		return other{}, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return other{}, err
	}
	d, err := s.digestOf(ctx, &h, around)
	return other{found: true, Known: schedule.Known{
		After: d.after, Times: d.times, Archived: h.Archived(), Renamed: renamed,
	}}, err
}

// found returns the functions that the check of a document calls.
func (o *others) found() *schedule.Others { return &schedule.Others{Find: o.find, Near: o.near} }

func (o *others) find(name string) (schedule.Known, bool) {
	known, ok := o.seen[name]
	if !ok && o.err == nil {
		known, o.err = o.read(name)
		o.seen[name] = known
	}
	return known.Known, known.found
}

// near proposes a name for one that does not exist.
func (o *others) near(name string) string {
	names, err := o.list()
	if err != nil {
		return ""
	}
	return hive.Nearest(name, names)
}

// upstreamsOf lists the schedules that a definition waits for.
func upstreamsOf(def *hive.Definition) []string {
	var names []string
	for i := range def.Triggers {
		for j := range def.Triggers[i].After {
			names = append(names, def.Triggers[i].After[j].Schedule)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Release ends the wait of one tick: it starts without what is missing, or it is skipped. CodeConflict if it does not
// wait, or if it cannot start because its schedule is disabled or archived.
func (s *Service) Release(ctx context.Context, r hive.ReleaseRequest) error {
	reason := strings.TrimSpace(r.Reason)
	if reason == "" {
		return hive.Errorf(hive.CodeInvalid, "say why the tick need not wait").WithReason(hive.ErrorReleaseReason)
	}
	h, err := s.schedules.Schedule(ctx, r.Schedule)
	if err != nil {
		return err
	}
	if err := h.IfArchived(); err != nil {
		return err
	}
	if !h.Enabled && !r.Skip {
		const words = "schedule %s is disabled, so its ticks make no batch; enable it first"
		return hive.Errorf(hive.CodeConflict, words, h.Name).
			WithReason(hive.ErrorTickDisabled, "schedule", h.Name)
	}
	err = s.schedules.ReleaseTick(ctx, h.ID, r.Moment,
		hive.Release{By: r.By, Reason: hive.Clean(reason, maxReleaseReason), At: s.moment(), Skip: r.Skip})
	if err == nil {
		s.changed(h.ID)
	}
	return err
}

// maxReleaseReason bounds the reason of a release, in bytes.
const maxReleaseReason = 500
