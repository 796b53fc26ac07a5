package dbtest_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// keep stores a draft that was made from a version.
func (x *fixture) keep(user int64, name string, version int64, document string, at time.Time) hive.Draft {
	x.Helper()
	d := hive.Draft{User: user, Name: name, Base: 3, Version: version, Document: document, UpdatedAt: at}
	return must(x.PutDraft(x.Context(), d, 200))(x)
}

// refusal demands an error of this code and reason, and returns its params.
func (x *fixture) refusal(code hive.Code, refusal hive.ErrorReason, err error) map[string]string {
	x.Helper()
	x.code(code, err)
	e, _ := errors.AsType[*hive.Error](err)
	same(x, "refusal", e.Reason, refusal)
	return e.Params
}

func TestDrafts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada, bob := x.person("ada", true), x.person("bob", false)
		same(x, "none", len(must(x.Drafts(ctx, ada.ID))(x)), 0)
		_, err := x.Draft(ctx, ada.ID, "warehouse")
		same(x, "params", x.refusal(hive.CodeNotFound, hive.ErrorNoDraft, err),
			map[string]string{"schedule": "warehouse"})

		large := `{"title":"草稿 ' \\ ` + strings.Repeat("x", 1<<20) + `"}`
		first := x.keep(ada.ID, "warehouse", 0, large, t0)
		same(x, "first", first,
			hive.Draft{
				User: ada.ID, Name: "warehouse", Base: 3, Version: first.Version, Document: large,
				UpdatedAt: t0,
			})
		same(x, "stored", must(x.Draft(ctx, ada.ID, "warehouse"))(x), first)
		second := x.keep(ada.ID, "warehouse", first.Version, "{}", t0) // within the same millisecond
		if second.Version <= first.Version {
			x.Fatalf("version %d after %d", second.Version, first.Version)
		}

		// The slower one of two windows is refused, and a draft that exists is not created again.
		for _, version := range []int64{0, first.Version, second.Version + 1} {
			_, err := x.PutDraft(ctx,
				hive.Draft{User: ada.ID, Name: "warehouse", Version: version, Document: "[]", UpdatedAt: t0}, 200)
			same(x, "params", x.refusal(hive.CodeConflict, hive.ErrorDraftMoved, err), map[string]string{
				"schedule": "warehouse", "version": fmt.Sprint(second.Version), "base": fmt.Sprint(version),
			})
		}
		same(x, "what is kept", must(x.Draft(ctx, ada.ID, "warehouse"))(x), second)

		// Each user has drafts of their own, and lists have no documents.
		other := x.keep(bob.ID, "warehouse", 0, `{"b":1}`, t0)
		x.keep(ada.ID, "b", 0, "{}", t0)
		x.keep(ada.ID, "a-1", 0, "{}", t0)
		names := []string{}
		for _, d := range must(x.Drafts(ctx, ada.ID))(x) {
			names = append(names, d.Name)
			same(x, "document in a list", d.Document, "")
			same(x, "base in a list", d.Base, int64(3))
		}
		same(x, "names", names, []string{"a-1", "b", "warehouse"})

		x.refusal(hive.CodeConflict, hive.ErrorDraftMoved, x.DeleteDraft(ctx, ada.ID, "warehouse", first.Version))
		x.ok(x.DeleteDraft(ctx, ada.ID, "warehouse", second.Version))
		x.ok(x.DeleteDraft(ctx, ada.ID, "warehouse", second.Version))
		x.ok(x.DeleteDraft(ctx, ada.ID, "b", 0))
		_, err = x.Draft(ctx, ada.ID, "warehouse")
		x.code(hive.CodeNotFound, err)
		same(x, "bob's", must(x.Draft(ctx, bob.ID, "warehouse"))(x), other)

		// One that was thrown away does not come back under its old version.
		_, err = x.PutDraft(ctx,
			hive.Draft{User: ada.ID, Name: "warehouse", Version: second.Version, Document: "{}", UpdatedAt: t0}, 200)
		same(x, "params", x.refusal(hive.CodeConflict, hive.ErrorDraftMoved, err)["version"], "0")
		again := x.keep(ada.ID, "warehouse", 0, "{}", after(time.Minute))
		if again.Version <= second.Version {
			x.Fatalf("version %d after %d", again.Version, second.Version)
		}
	})
}

func TestDraftsAreLimited(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada, bob := x.person("ada", true), x.person("bob", false)
		for i := range 3 {
			_, err := x.PutDraft(ctx, hive.Draft{User: ada.ID, Name: fmt.Sprint("d", i), Document: "{}", UpdatedAt: t0},
				2)
			if i < 2 {
				x.ok(err)
				continue
			}
			same(x, "params", x.refusal(hive.CodeConflict, hive.ErrorDraftsFull, err), map[string]string{"most": "2"})
		}
		d := must(x.Draft(ctx, ada.ID, "d1"))(x)
		must(x.PutDraft(ctx, d, 2))(x)
		_, err := x.PutDraft(ctx, hive.Draft{User: bob.ID, Name: "d9", Document: "{}", UpdatedAt: t0}, 2)
		x.ok(err)
	})
}

// When many create one draft at once, exactly one succeeds. Drafts are deleted with their user.
func TestDraftsOfManyWindows(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		bob := x.person("bob", false)
		x.person("ada", true)
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = x.PutDraft(ctx,
					hive.Draft{User: bob.ID, Name: "new", Document: fmt.Sprintf(`{"n":%d}`, i), UpdatedAt: t0}, 200)
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				x.refusal(hive.CodeConflict, hive.ErrorDraftMoved, err)
			}
		}
		same(x, "who won", won, 1)
		x.ok(x.RemoveUser(ctx, "bob"))
		_, err := x.Draft(ctx, bob.ID, "new")
		x.code(hive.CodeNotFound, err)
		_, err = x.PutDraft(ctx, hive.Draft{User: bob.ID, Name: "new", Document: "{}", UpdatedAt: t0}, 200)
		x.code(hive.CodeNotFound, err)
	})
}
