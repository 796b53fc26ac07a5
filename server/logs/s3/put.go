package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/rprp/hivego/server/hive"
)

// bytesKey is the metadata of an object that has the size of its log, so that a reader notices a truncated object.
const bytesKey = "Hivego-Bytes"

// MaxLog is the greatest size of a log that one request can store.
const MaxLog = 5 << 30

// Put stores a complete log, and returns nil only after the store has it, with the right size and checksum. It may be
// called again after any failure. The error has the code CodeUnavailable if the store cannot be used now.
func (s *Store) Put(ctx context.Context, attempt hive.AttemptRef, log *os.File) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, log)
	if err != nil {
		return fmt.Errorf("read a log: %w", err)
	}
	if size > MaxLog {
		return fmt.Errorf("the log has %d bytes; one object has at most %d", size, MaxLog)
	}
	rate := int64(slowest)
	if s.config.Rate > 0 {
		rate = min(rate, max(s.config.Rate/4, 1)) // several logs share it
	}
	ctx, cancel := context.WithTimeout(ctx, putTimeout+time.Duration(size/rate)*time.Second)
	defer cancel()
	body := &paced{ctx: ctx, pace: s.pace, from: io.NewSectionReader(log, 0, size)}
	digest := sum.Sum(nil)
	_, err = client.PutObject(ctx, s.config.Bucket, s.key(attempt), body, size, "", hex.EncodeToString(digest),
		minio.PutObjectOptions{
			ContentType: "text/plain; charset=utf-8", DisableContentSha256: true,
			UserMetadata: map[string]string{
				bytesKey:                strconv.FormatInt(size, 10),
				"X-Amz-Checksum-Sha256": base64.StdEncoding.EncodeToString(digest),
			},
		})
	if err != nil {
		return s.away(err)
	}
	return s.verify(ctx, client, attempt, size, digest)
}

// verify compares an object with its log: by the checksum that the store says, or else by reading it.
func (s *Store) verify(ctx context.Context, client *minio.Core, attempt hive.AttemptRef, size int64,
	digest []byte,
) error {
	info, err := client.StatObject(ctx, s.config.Bucket, s.key(attempt), minio.StatObjectOptions{Checksum: true})
	if err != nil {
		return s.away(err)
	}
	if info.Size != size {
		return fmt.Errorf("%s has %d bytes of a log of %d: %w", s.Place(), info.Size, size, errDiffers)
	}
	if info.ChecksumSHA256 != "" {
		if info.ChecksumSHA256 != base64.StdEncoding.EncodeToString(digest) {
			return fmt.Errorf("%s has a wrong checksum of a log: %w", s.Place(), errDiffers)
		}
		return nil
	}
	body, _, _, err := client.GetObject(ctx, s.config.Bucket, s.key(attempt), minio.GetObjectOptions{})
	if err != nil {
		return s.away(err)
	}
	defer body.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, body); err != nil {
		return s.away(err)
	}
	if !bytes.Equal(sum.Sum(nil), digest) {
		return fmt.Errorf("%s has another text than the log: %w", s.Place(), errDiffers)
	}
	return nil
}

// errDiffers reports that the store has not kept what it was given.
var errDiffers = errors.New("the log stays in the folder")

// pace spreads the bytes of all transfers over time.
type pace struct {
	rate int64 // bytes a second; 0: no limit

	mu   sync.Mutex
	next time.Time // when more may be sent
}

// take returns how long to wait before n more bytes may be sent.
func (p *pace) take(n int, now time.Time) time.Duration {
	if p.rate <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.Before(now) {
		p.next = now
	}
	wait := p.next.Sub(now)
	p.next = p.next.Add(time.Duration(int64(n) * int64(time.Second) / p.rate))
	return wait
}

// paced reads a log at the permitted pace.
type paced struct {
	ctx  context.Context //nolint:containedctx // io.Reader has no other way to get one
	pace *pace
	from io.Reader
}

// Read reads the next bytes, and waits until they may be sent.
func (r *paced) Read(to []byte) (int, error) {
	if r.pace.rate > 0 {
		to = to[:min(len(to), 16<<10)]
	}
	n, err := r.from.Read(to)
	if wait := r.pace.take(n, time.Now()); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		case <-timer.C:
		}
	}
	return n, err //nolint:wrapcheck // io.EOF must stay what it is
}
