package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/rprp/hivego/server/hive"
)

// Read returns bytes [offset, offset+limit) of a log; found is false if the store does not have it. The error has the
// code CodeUnavailable if the store cannot be used now.
func (s *Store) Read(ctx context.Context, attempt hive.AttemptRef, offset int64, limit int) (part hive.LogPart,
	found bool, err error,
) {
	client, err := s.client()
	if err != nil {
		return part, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	part = hive.LogPart{Offset: offset, Complete: true}
	if limit <= 0 {
		return s.beyond(ctx, client, attempt, part)
	}
	var o minio.GetObjectOptions
	if err := o.SetRange(offset, offset+int64(limit)-1); err != nil {
		return part, false, fmt.Errorf("read a log from byte %d: %w", offset, err)
	}
	body, info, header, err := client.GetObject(ctx, s.config.Bucket, s.key(attempt), o)
	var answer minio.ErrorResponse
	switch {
	case missing(err):
		return part, false, nil
	case errors.As(err, &answer) && answer.Code == "InvalidRange":
		return s.beyond(ctx, client, attempt, part)
	case err != nil:
		return part, false, s.away(err)
	}
	defer body.Close()
	_, total, isRange := strings.Cut(header.Get("Content-Range"), "/")
	if isRange {
		if part.Size, err = strconv.ParseInt(total, 10, 64); err != nil {
			return part, false, fmt.Errorf("%s answers the range %q", s.Place(), header.Get("Content-Range"))
		}
	} else { // the store does not know ranges
		part.Size = info.Size
		if _, err := io.CopyN(io.Discard, body, min(offset, info.Size)); err != nil {
			return part, false, s.away(err)
		}
	}
	if err := s.whole(attempt, &info, part.Size); err != nil {
		return part, false, err
	}
	part.Data = make([]byte, max(min(int64(limit), part.Size-offset), 0))
	if _, err := io.ReadFull(body, part.Data); err != nil {
		return part, false, s.away(err)
	}
	return part, true, nil
}

// beyond completes the answer to a range that begins at or after the end of a log.
func (s *Store) beyond(ctx context.Context, client *minio.Core, attempt hive.AttemptRef, part hive.LogPart) (
	hive.LogPart, bool, error,
) {
	info, err := client.StatObject(ctx, s.config.Bucket, s.key(attempt), minio.StatObjectOptions{})
	switch {
	case missing(err):
		return part, false, nil
	case err != nil:
		return part, false, s.away(err)
	}
	part.Size = info.Size
	return part, true, s.whole(attempt, &info, info.Size)
}

// whole refuses an object that has another size than its log had when it was stored.
func (s *Store) whole(attempt hive.AttemptRef, info *minio.ObjectInfo, size int64) error {
	had, err := strconv.ParseInt(info.UserMetadata[bytesKey], 10, 64)
	if err != nil || had == size { // a copy of the object may have lost its metadata
		return nil //nolint:nilerr // likewise
	}
	return hive.Errorf(hive.CodeNotFound, "the log in %s is damaged: the object %s has %d bytes of %d; restore it "+
		"from another copy or from an older version", s.Place(), s.key(attempt), size, had).
		WithReason(hive.ErrorLogDamaged, "size", size, "had", had)
}

// Remove deletes logs, at most 1000. Those that the store does not have do no harm.
func (s *Store) Remove(ctx context.Context, attempts []hive.AttemptRef) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	objects := make(chan minio.ObjectInfo, len(attempts))
	for _, a := range attempts {
		objects <- minio.ObjectInfo{Key: s.key(a)}
	}
	close(objects)
	for failed := range client.RemoveObjects(ctx, s.config.Bucket, objects, minio.RemoveObjectsOptions{}) {
		if failed.Err != nil && !missing(failed.Err) && err == nil {
			err = s.away(failed.Err)
		}
	}
	return err
}

// Try stores, reads and deletes an object, as the moves of logs do. It returns why that is not possible.
func (s *Store) Try(ctx context.Context) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*readTimeout)
	defer cancel()
	key, text := s.root()+"doctor.txt", "written and deleted by hivego doctor"
	_, err = client.PutObject(ctx, s.config.Bucket, key, strings.NewReader(text), int64(len(text)), "", "",
		minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		return s.away(err)
	}
	var o minio.GetObjectOptions
	o.Set("Range", "bytes=0-6")
	body, _, _, err := client.GetObject(ctx, s.config.Bucket, key, o)
	if err != nil {
		return s.away(err)
	}
	defer body.Close()
	if begin, err := io.ReadAll(body); err != nil || string(begin) != text[:7] {
		return fmt.Errorf("%s answers a range of an object with %q; it has to know ranges", s.Place(), begin)
	}
	if err := client.RemoveObject(ctx, s.config.Bucket, key, minio.RemoveObjectOptions{}); err != nil {
		return s.away(err)
	}
	return nil
}
