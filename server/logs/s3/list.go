package s3

import (
	"context"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/rprp/hivego/server/hive"
)

// List lists logs in the order of their keys, from a place that the last call returned as next; empty: the beginning,
// and the end.
func (s *Store) List(ctx context.Context, from string, limit int) (logs []hive.StoredLog, next string, err error) {
	client, err := s.client()
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	o := minio.ListObjectsOptions{Prefix: s.root(), Recursive: true, MaxKeys: limit}
	if from != "" {
		o.StartAfter = s.root() + from
	}
	seen := 0
	for object := range client.ListObjectsIter(ctx, s.config.Bucket, o) {
		if object.Err != nil {
			return nil, "", s.away(object.Err)
		}
		if attempt, ok := hive.AttemptOfLog(path.Base(object.Key)); ok && s.key(attempt) == object.Key {
			logs = append(logs, hive.StoredLog{Attempt: attempt, Size: object.Size, At: object.LastModified})
		}
		if seen++; seen >= limit {
			return logs, strings.TrimPrefix(object.Key, s.root()), nil
		}
	}
	return logs, "", nil
}
