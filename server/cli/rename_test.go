package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// The files of those that wait for a schedule are sent with its rename; a folder may have others.
func TestRename(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var last hive.RenameRequest
	w.RenameF = func(r hive.RenameRequest) (hive.Renamed, error) {
		if last = r; len(r.Documents) == 0 {
			return hive.Renamed{}, hive.Errorf(hive.CodeConflict, "schedules wait for warehouse: mart").
				WithReason(hive.ErrorRenameNamed, "schedule", "warehouse", "schedules", "mart", "to", r.To)
		}
		h := hive.Schedule{Name: r.To, Revision: 3}
		return hive.Renamed{
			Schedule: h, Former: r.Schedule, Changed: r.Note != "again",
			Saved: []hive.Saved{{Schedule: h, Revision: hive.Revision{Number: 3}, Changed: true}},
		}, nil
	}
	w.want(w.hivego("rename", "warehouse", "store"), 2, "", "`-f FILE` or `-f FOLDER` gives them")
	folder := t.TempDir()
	mart := strings.Replace(good, "name: nightly\n", "name: mart\ntriggers: [{after: [{schedule: store}]}]\n", 1)
	for name, text := range map[string]string{
		"mart.yaml": mart, "other.yaml": good, "notes.txt": "x",
		"store.yml": strings.Replace(good, "nightly", "store", 1),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.want(w.hivego("rename", "warehouse", "store", "-f", folder, "--note", "why", "--base", "2"), 0,
		"store: was warehouse\nstore: saved as revision 3\n", "")
	if last.Schedule != "warehouse" || last.To != "store" || last.By != "ada" || last.Note != "why" ||
		last.Bases["warehouse"] != 2 ||
		len(last.Documents) != 2 || !strings.Contains(string(last.Documents[0]), "name: mart") {
		t.Errorf("%+v, %s", last, last.Documents)
	}
	w.want(w.hivego("rename", "warehouse", "store", "-f", folder, "--note", "again"), 0, "store: unchanged", "")
	w.want(w.hivego("rename", "warehouse", "store", "-f", write(t, "a.yaml", good)), 0, "was warehouse", "")
	w.want(w.hivego("rename", "warehouse", "store", "-f", write(t, "a.yaml", "name: x")), 2, "", "nothing was saved")
	w.want(w.hivego("rename", "warehouse"), 2, "", "hivego rename OLD NEW")
	w.want(w.hivego("rename", "warehouse", "store", "-f", filepath.Join(folder, "none")), 2, "", "none")

	w.want(w.hivego("rename", "--release", "warehouse"), 0, "warehouse: released\n", "")
	w.want(w.hivego("rename", "--release", "warehouse", "store"), 2, "", "hivego rename --release OLD")
	w.SaveF = func(hive.SaveRequest) (hive.Saved, error) { return hive.Saved{}, hive.FormerName("warehouse", "store") }
	w.want(w.hivego("apply", "-f", write(t, "a.yaml", good)), 2, "", "`hivego rename --release warehouse` releases it")
}
