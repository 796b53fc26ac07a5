// Package s3 keeps complete logs of attempts in a bucket of S3, or of a store that speaks its protocol.
package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/rprp/hivego/server/hive"
)

// Limits of time.
const (
	connectTimeout = 5 * time.Second
	readTimeout    = 10 * time.Second // of one range of a log
	removeTimeout  = time.Minute
	putTimeout     = time.Minute // to store a log, and
	slowest        = 64 << 10    // the bytes a second that a transfer must reach beyond that
)

// Config configures a Store.
type Config struct {
	Bucket   string
	Prefix   string   // of all keys, without slashes at its ends; may be empty
	Cluster  string   // id of the database's cluster, a part of each key
	Endpoint *url.URL // of the store, without a path
	Region   string
	Style    string // how the bucket is named in requests: auto, path or host
	Access   string // the access key
	Secret   string
	TLS      *tls.Config // nil: the system's roots
	Rate     int64       // bytes a second that Put sends at most; 0: no limit
}

// Store has each log as one object. Its key follows from the attempt, so nothing else has to say where a log is.
// Nothing is made or called before the first use.
type Store struct {
	config Config
	client func() (*minio.Core, error)
	pace   *pace
}

// New makes a Store.
func New(c Config) *Store {
	return &Store{config: c, pace: &pace{rate: c.Rate}, client: sync.OnceValues(func() (*minio.Core, error) {
		return connect(&c)
	})}
}

// connect makes the client. It makes no call.
func connect(c *Config) (*minio.Core, error) {
	styles := map[string]minio.BucketLookupType{
		"path": minio.BucketLookupPath, "host": minio.BucketLookupDNS, "auto": minio.BucketLookupAuto,
	}
	core, err := minio.NewCore(c.Endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(c.Access, c.Secret, ""), Secure: c.Endpoint.Scheme == "https",
		Region: c.Region, BucketLookup: styles[c.Style], MaxRetries: 1,
		Transport: &http.Transport{
			Proxy:           http.ProxyFromEnvironment,
			DialContext:     (&net.Dialer{Timeout: connectTimeout}).DialContext,
			TLSClientConfig: c.TLS, TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true,
			ResponseHeaderTimeout: time.Minute, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 4,
			DisableCompression: true, // lengths and ranges are those of the objects
		},
	})
	if err != nil {
		return nil, fmt.Errorf("use the S3 store at %s: %w", c.Endpoint, err)
	}
	return core, nil
}

// Place names the store for people.
func (s *Store) Place() string {
	return fmt.Sprintf("s3://%s at %s", path.Join(s.config.Bucket, s.config.Prefix), s.config.Endpoint.Host)
}

// key returns the key of a log.
func (s *Store) key(attempt hive.AttemptRef) string {
	return s.root() + strconv.FormatInt(attempt.ID/1000, 10) + "/" + attempt.Name() + ".log"
}

// root returns the beginning of all keys.
func (s *Store) root() string { return path.Join(s.config.Prefix, s.config.Cluster) + "/" }

// away returns the error for a store that cannot be used now, with the reason and a remedy.
func (s *Store) away(err error) error {
	return hive.Errorf(hive.CodeUnavailable, "the store of logs, %s, cannot be used now: %s", s.Place(), s.why(err)).
		WithReason(hive.ErrorLogStoreAway, "place", s.Place())
}

// why says what an error of the store means, with a remedy.
func (s *Store) why(err error) string {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		if errors.Is(err, context.DeadlineExceeded) {
			return "it does not answer in time; look at it, at the network and at --logs-s3-endpoint"
		}
		if call, ok := errors.AsType[*url.Error](err); ok {
			err = call.Err // without the address, which Place has
		}
		return fmt.Sprintf("it does not answer (%v); look at it, at the network and at --logs-s3-endpoint", err)
	}
	switch answer.Code {
	case "NoSuchBucket":
		return "there is no such bucket; make it, or correct --logs-s3"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return "it refuses the key; correct the one in --logs-s3-key-file or in the environment"
	case "AccessDenied":
		return "the key may not do that; give it the rights to get, put and delete objects and to list the bucket"
	case "AuthorizationHeaderMalformed", "InvalidRegion", "PermanentRedirect", "IllegalLocationConstraintException":
		return fmt.Sprintf("the bucket is not in the region %s (%s); correct --logs-s3-region", s.config.Region,
			answer.Message)
	case "RequestTimeTooSkewed":
		return "the clocks differ too much; set the clock of this machine right"
	default:
		return fmt.Sprintf("it answers %s, status %d: %s", answer.Code, answer.StatusCode, answer.Message)
	}
}

// missing reports that an object is not there.
func missing(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && (answer.Code == "NoSuchKey" || answer.Code == "NoSuchVersion")
}
