package app

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/rprp/hivego/assets"
	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Build describes this program. The version and the commit are those that the build stamped, or "". Without them they
// are what Go stamps by itself: `go install …@v1.2.3` knows its version.
func Build(version, commit string) cli.Build {
	info, _ := debug.ReadBuildInfo()
	version, commit = stamped(version, commit, info)
	return cli.Build{
		Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Schema: migration.Latest(), Contract: hivego.CONTRACT, WebInterface: assets.Built(),
	}
}

// stamped returns version and commit: those given, or else those of Go's build info, which may be nil.
func stamped(version, commit string, info *debug.BuildInfo) (v, c string) {
	var own string
	if info != nil {
		if own = info.Main.Version; own == "(devel)" {
			own = ""
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = cmp.Or(commit, s.Value)
			}
		}
	}
	return cmp.Or(version, own, "dev"), commit
}
