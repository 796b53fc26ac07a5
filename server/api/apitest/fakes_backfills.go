package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

func (p backfills) Preview(_ context.Context, r hive.BackfillRequest) (hive.BackfillPreview, error) {
	if p.f.PreviewFillF == nil {
		return hive.BackfillPreview{}, missing()
	}
	return p.f.PreviewFillF(r)
}

func (p backfills) Create(_ context.Context, r hive.BackfillRequest) (hive.Backfill, error) {
	if p.f.CreateFillF == nil {
		return hive.Backfill{}, missing()
	}
	return p.f.CreateFillF(r)
}

func (p backfills) List(_ context.Context, f hive.BackfillFilter) ([]hive.Backfill, error) {
	if p.f.BackfillsF == nil {
		return nil, missing()
	}
	return p.f.BackfillsF(f)
}

func (p backfills) Get(_ context.Context, id int64) (hive.Backfill, error) {
	if p.f.BackfillF == nil {
		return hive.Backfill{}, missing()
	}
	return p.f.BackfillF(id)
}

func (p backfills) SetWish(_ context.Context, id int64, w hive.Wish, by string) (hive.Backfill, error) {
	if p.f.FillWishF == nil {
		return hive.Backfill{}, missing()
	}
	return p.f.FillWishF(id, w, by)
}
