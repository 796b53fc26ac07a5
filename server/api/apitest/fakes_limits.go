package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

type limits struct{ f *Fakes }

func (p limits) List(context.Context) ([]hive.LimitUse, error) {
	if p.f.LimitsF == nil {
		return nil, missing()
	}
	return p.f.LimitsF()
}

func (p limits) Set(_ context.Context, l hive.Limit) (hive.LimitUse, error) {
	if p.f.SetLimitF == nil {
		return hive.LimitUse{}, missing()
	}
	return p.f.SetLimitF(l)
}

func (p limits) Delete(_ context.Context, k hive.LimitKey, _ string) error {
	if p.f.DeleteLimitF == nil {
		return missing()
	}
	return p.f.DeleteLimitF(k)
}

// sampleLimits answers for a server with one pool.
func (f *Fakes) sampleLimits() {
	f.LimitsF = func() ([]hive.LimitUse, error) {
		key := hive.LimitKey{Kind: hive.LimitPool, Name: "dw"}
		limit := hive.Limit{LimitKey: key, Most: 3, Reason: "its cores", SetAt: T0, SetBy: "ada"}
		return []hive.LimitUse{{Limit: limit, Used: 2}}, nil
	}
	f.SetLimitF = func(l hive.Limit) (hive.LimitUse, error) {
		l.SetAt = T0
		return hive.LimitUse{Limit: l, Used: 2}, nil
	}
	f.DeleteLimitF = func(hive.LimitKey) error { return nil }
}
