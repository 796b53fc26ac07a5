package api

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

// checkQuery refuses query parameters that an operation does not have, those given twice or empty, and values that the
// contract does not take. The operation's own parameters stand in the generated Params struct.
func checkQuery(next stub.StrictHandlerFunc, operation string) stub.StrictHandlerFunc {
	return func(c *fiber.Ctx, request any) (any, error) {
		given, err := url.ParseQuery(string(c.Request().URI().QueryString()))
		if err != nil {
			return nil, hive.Errorf(hive.CodeInvalid, "the query string of the URL cannot be read")
		}
		params := reflect.ValueOf(request).FieldByName("Params")
		var known []string
		if params.IsValid() {
			for i := range params.NumField() {
				if name, _, _ := strings.Cut(params.Type().Field(i).Tag.Get("form"), ","); name != "" {
					known = append(known, name)
				}
			}
		}
		if err := compareQuery(given, known); err != nil {
			return nil, err
		}
		if params.IsValid() {
			if err := checkEnums(params, "form"); err != nil {
				return nil, err
			}
		}
		if err := agreed().checkQuery(operation, given); err != nil {
			return nil, err
		}
		return next(c, request)
	}
}

func compareQuery(given url.Values, known []string) error {
	for name, values := range given {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return hive.Errorf(hive.CodeInvalid, "the query parameter %.60q is unknown; this path takes none", name).
				WithReason(hive.ErrorParameter, "name", name)
		case !slices.Contains(known, name):
			return hive.Errorf(hive.CodeInvalid, "the query parameter %.60q is unknown; this path takes %s",
				name, strings.Join(known, ", ")).
				WithReason(hive.ErrorParameter, "name", name)
		case len(values) > 1:
			return hive.Errorf(hive.CodeInvalid, "the query parameter %q is given %d times", name, len(values)).
				WithReason(hive.ErrorValue, "name", name, "value", strings.Join(values, ", "))
		case values[0] == "":
			return hive.Errorf(hive.CodeInvalid, "the query parameter %q is empty; leave it out or give it a value",
				name).
				WithReason(hive.ErrorValue, "name", name, "value", "")
		}
	}
	return nil
}

// Sizes of a page.
const (
	defaultLimit = 50
	maxLimit     = 500
)

// pageSize is a limit parameter with its default.
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

// positive is an optional number that must be 1 or more; 0 if it was left out.
func positive(name string, v *int64) (int64, error) {
	return atLeast(name, v, 1)
}

// atLeast is an optional number that must be least or more; 0 if it was left out.
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

// orZero is what an optional parameter holds, or the zero value if it was left out.
func orZero[V any](p *V) V {
	var v V
	if p != nil {
		v = *p
	}
	return v
}
