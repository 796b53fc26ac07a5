package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

func (p renames) Rename(_ context.Context, r hive.RenameRequest) (hive.Renamed, error) {
	if p.f.RenameF == nil {
		return hive.Renamed{}, missing()
	}
	return p.f.RenameF(r)
}

func (p renames) ReleaseName(_ context.Context, former string) error {
	if p.f.ReleaseNameF == nil {
		return missing()
	}
	return p.f.ReleaseNameF(former)
}
