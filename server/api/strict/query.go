package strict

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

// CheckQuery returns a middleware of the generated stubs. It refuses unknown query parameters, parameters that are
// given twice or empty, and values that the contract does not allow. The generated Params struct has the parameters of
// an operation.
func (c *Contract) CheckQuery(next stub.StrictHandlerFunc, operation string) stub.StrictHandlerFunc {
	return func(ctx *fiber.Ctx, request any) (any, error) {
		given, err := url.ParseQuery(string(ctx.Request().URI().QueryString()))
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
		if err := c.checkQuery(operation, given); err != nil {
			return nil, err
		}
		return next(ctx, request)
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
