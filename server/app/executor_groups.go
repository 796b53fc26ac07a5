package app

import (
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// Groups lists the groups that have executors or settings, by name.
func (x *executors) Groups(ctx context.Context) ([]hive.ExecutorGroupView, error) {
	settings, err := x.store.ExecutorGroups(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := x.store.Executors(ctx)
	if err != nil {
		return nil, err
	}
	var out []hive.ExecutorGroupView
	of := func(name string) *hive.ExecutorGroupView {
		at := slices.IndexFunc(out, func(g hive.ExecutorGroupView) bool { return g.Name == name })
		if at < 0 {
			out = append(out, hive.ExecutorGroupView{ExecutorGroup: hive.ExecutorGroup{Name: name}})
			at = len(out) - 1
		}
		return &out[at]
	}
	for i := range settings {
		of(settings[i].Name).ExecutorGroup = settings[i]
	}
	for i := range rows {
		group := rows[i].Group
		if group == "" {
			group = hive.DefaultGroup
		}
		of(group).Executors++
	}
	slices.SortFunc(out, func(a, b hive.ExecutorGroupView) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// SetGroup stores the settings of a group. They hold at once on this server, and within seconds on the others.
func (x *executors) SetGroup(ctx context.Context, g hive.ExecutorGroup) (hive.ExecutorGroupView, error) {
	if err := x.store.SetExecutorGroup(ctx, g); err != nil {
		return hive.ExecutorGroupView{}, err
	}
	routes, err := groupRoutes(ctx, x.store.ExecutorGroups)
	if err != nil {
		return hive.ExecutorGroupView{}, err
	}
	x.routes(routes)
	all, err := x.Groups(ctx)
	if err != nil {
		return hive.ExecutorGroupView{}, err
	}
	at := slices.IndexFunc(all, func(v hive.ExecutorGroupView) bool { return v.Name == g.Name })
	if at < 0 { // another server has deleted it meanwhile
		return hive.ExecutorGroupView{ExecutorGroup: g}, nil
	}
	return all[at], nil
}

// groupRoutes returns the routes of groups of executors, by their names.
func groupRoutes(
	ctx context.Context, list func(context.Context) ([]hive.ExecutorGroup, error),
) (map[string]hive.Route, error) {
	groups, err := list(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]hive.Route, len(groups))
	for _, g := range groups {
		if g.Route.Known() { // else a later version has set it
			out[g.Name] = g.Route
		}
	}
	return out, nil
}
