package api

import (
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// Sizes of a page.
const (
	defaultLimit = 50
	maxLimit     = 500
)

// pageSize returns a limit parameter, or its default.
func pageSize(limit *model.Limit) (int, error) {
	if limit == nil {
		return defaultLimit, nil
	}
	if *limit < 1 || *limit > maxLimit {
		return 0, hive.Errorf(hive.CodeInvalid, "limit must be from 1 to %d", maxLimit).
			WithReason(hive.ErrorRange, "name", "limit", "least", 1, "most", maxLimit)
	}
	return *limit, nil
}

// positive returns an optional number that must be 1 or more, or 0 if it was left out.
func positive(name string, v *int64) (int64, error) {
	return atLeast(name, v, 1)
}

// atLeast returns an optional number that must be least or more, or 0 if it was left out.
func atLeast(name string, v *int64, least int64) (int64, error) {
	if v == nil {
		return 0, nil
	}
	if *v < least {
		return 0, hive.Errorf(hive.CodeInvalid, "%s must be %d or more", name, least).
			WithReason(hive.ErrorRange, "name", name, "least", least)
	}
	return *v, nil
}

// orZero returns the value of an optional parameter, or the zero value if it was left out.
func orZero[V any](p *V) V {
	var v V
	if p != nil {
		v = *p
	}
	return v
}
