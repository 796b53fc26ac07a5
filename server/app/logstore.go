package app

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/doctor"
	"github.com/rprp/hivego/server/logs"
	"github.com/rprp/hivego/server/logs/s3"
)

// logBucket makes the store that complete logs move to; nil without --logs-s3.
func logBucket(cfg *config.Serve, cluster string) (*s3.Store, error) {
	c := &cfg.LogsS3
	if c.Place == "" {
		return nil, nil //nolint:nilnil // logs stay in the folder
	}
	trust, err := authorities(c.CA)
	if err != nil {
		return nil, fmt.Errorf("--logs-s3-ca: %w", err)
	}
	return s3.New(s3.Config{
		Bucket: c.Bucket, Prefix: c.Prefix, Cluster: cluster, Endpoint: c.URL, Region: c.Region, Style: c.Style,
		Access: c.Access, Secret: c.Secret, TLS: trust, Rate: c.Rate,
	}), nil
}

// logArchive is logBucket for the store of logs, which compares with nil.
func logArchive(cfg *config.Serve, cluster string) (logs.Archive, error) {
	bucket, err := logBucket(cfg, cluster)
	if bucket == nil {
		return nil, err
	}
	return bucket, err
}

// lookAtLogStore tries the store that logs move to, and counts the logs that wait for it.
func lookAtLogStore(ctx context.Context, cfg *config.Serve) *doctor.LogStore {
	if cfg.LogsS3.Place == "" || cfg.LogsS3.URL == nil {
		return nil // without one, or it is refused already
	}
	f := &doctor.LogStore{Place: cfg.LogsS3.Place}
	bucket, err := logBucket(cfg, "doctor")
	if err != nil {
		f.Err = err
		return f
	}
	f.Place, f.Err = bucket.Place(), bucket.Try(ctx)
	overdue := max(2*cfg.LogsS3.MoveAfter.Std(), cfg.LogsS3.MoveAfter.Std()+time.Hour)
	f.Overdue, _ = logs.Due(ctx, logFolder(cfg), time.Now().Add(-overdue)) // the folder may not be there yet
	return f
}
