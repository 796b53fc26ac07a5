package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"
)

// explain adds a remedy to the error of a failed call.
func (t *target) explain(ctx context.Context, err error) error {
	var (
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w; is the executor running there? --address names another one", err)
	case errors.As(err, &authority):
		return fmt.Errorf("%w; give the certificate of the authority that signed it with --ca or HIVEGO_CA", err)
	case errors.As(err, &host):
		_, port, _ := net.SplitHostPort(t.address)
		names := slices.Clone(host.Certificate.DNSNames)
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		if len(names) == 0 {
			return fmt.Errorf("%w; give the executor a certificate for its host: `hivego certs` makes one", err)
		}
		one := slices.IndexFunc(names, func(name string) bool { return !strings.Contains(name, "*") })
		if one < 0 {
			return fmt.Errorf("%w; its certificate is for %s: say --address with such a name", err,
				strings.Join(names, ", "))
		}
		return fmt.Errorf("%w; its certificate is for %s: say --address %s", err, strings.Join(names, ", "),
			net.JoinHostPort(names[one], port))
	case errors.As(err, &record):
		return fmt.Errorf("%w; it does not speak TLS: leave --tls and --ca out", err)
	case !t.tls && t.ca == "" && speaksTLS(ctx, t.address):
		return fmt.Errorf("%w; it speaks TLS: say --tls", err)
	default:
		return err
	}
}

// probeWithin is the time limit of speaksTLS.
const probeWithin = 2 * time.Second

// speaksTLS reports whether a server at an address completes a TLS handshake.
func speaksTLS(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	//nolint:gosec // it only tells that TLS is spoken there; nothing is sent
	d := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
