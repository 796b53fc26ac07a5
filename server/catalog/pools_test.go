package catalog

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// pools is limits in memory.
type pools struct {
	list []hive.Limit
	err  error
}

func (p *pools) Limits(context.Context) ([]hive.Limit, error) { return p.list, p.err }

// A schedule whose pool does not exist, or is too small, can be saved, with a warning that goes once the pool is there.
func TestWarningOfAPool(t *testing.T) {
	t.Parallel()
	w, db := newWorld(t), &pools{}
	w.limits = db
	text := strings.Replace(nightly, "handler: shell", "pool: {name: dw, slots: 2}, handler: shell", 1)
	set := func(limits ...string) {
		db.list = nil
		for _, l := range limits {
			db.list = append(db.list, hive.Limit{LimitKey: hive.ParseLimitKey(l), Most: len(db.list) + 1})
		}
	}
	for want, limits := range map[string][]string{
		`the server has no pool "dw"`: {"tag dw", "server", "pool other"},
		`the task needs more slots`:   {"pool dw"},
		"":                            {"server", "pool dw"},
	} {
		set(limits...)
		saved, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(text), By: "ada"})
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		var got string
		for _, f := range saved.Faults {
			got += f.Message
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
		if v, err := w.Validate(t.Context(), []byte(text)); err != nil || len(v.Faults) != len(saved.Faults) {
			t.Errorf("validate: %+v %v", v.Faults, err)
		}
	}
	db.err = errors.New("the database is away")
	if _, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(text)}); err == nil {
		t.Error("the error of the store is lost")
	}
	if _, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(nightly)}); err != nil {
		t.Errorf("without a pool, limits are not read: %v", err)
	}
}
