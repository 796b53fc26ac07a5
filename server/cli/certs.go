package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// How long certificates are valid.
const (
	authorityYears = 10
	leafYears      = 2
	clockSkew      = time.Hour
)

func certsCommand() *cobra.Command {
	var data string
	var hosts []string
	cmd := &cobra.Command{
		Use:   "certs --host NAME...",
		Short: "Make certificates for servers and executors, signed by an authority of their own",
		Long: `Makes an authority in DIR/certs (ca.crt, ca.key) if there is none yet, and for each host a
certificate and key that it signs (HOST.crt, HOST.key). A host is a name or an IP address, as others
call it. Several names of one host, separated by commas, get one certificate, in files of the first
name. Keep ca.key away from executors; they need ca.crt and their own two files.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(hosts) == 0 {
				return errors.New("name the host with --host NAME")
			}
			dir := filepath.Join(data, "certs")
			ca, err := openAuthority(dir, time.Now())
			if err != nil {
				return err
			}
			for _, h := range hosts {
				names := strings.Split(h, ",")
				if err := ca.issue(dir, names, time.Now()); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", filepath.Join(dir, fileOf(names[0])+".crt"),
					filepath.Join(dir, fileOf(names[0])+".key"))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", env("HIVEGO_DATA", "data"), "data folder (HIVEGO_DATA)")
	cmd.Flags().StringArrayVar(&hosts, "host", nil,
		"name or IP address, or several of one host with commas; may be given several times")
	return cmd
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// openAuthority reads the authority of a folder, or creates one.
func openAuthority(dir string, now time.Time) (*authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	certPEM, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if errors.Is(err, fs.ErrNotExist) {
		return makeAuthority(dir, now)
	}
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(filepath.Join(dir, "ca.key"))
	if err != nil {
		return nil, fmt.Errorf("the key of the authority: %w", err)
	}
	certBlock, _ := pem.Decode(certPEM)
	keyBlock, _ := pem.Decode(keyPEM)
	if certBlock == nil || keyBlock == nil {
		return nil, fmt.Errorf("ca.crt or ca.key in %s is no PEM file", dir)
	}
	a := &authority{}
	if a.cert, err = x509.ParseCertificate(certBlock.Bytes); err != nil {
		return nil, fmt.Errorf("read ca.crt: %w", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(keyBlock.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read ca.key: %w", err)
	}
	var ok bool
	if a.key, ok = key.(*ecdsa.PrivateKey); !ok {
		return nil, errors.New("ca.key is not the key of an authority that HiveGo made")
	}
	return a, nil
}

func makeAuthority(dir string, now time.Time) (*authority, error) {
	t, err := template("HiveGo authority "+now.UTC().Format(time.DateOnly), now, authorityYears)
	if err != nil {
		return nil, err
	}
	t.IsCA, t.BasicConstraintsValid, t.MaxPathLenZero = true, true, true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make the authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert, key}, store(dir, "ca", der, key)
}

// issue makes a certificate and key for the names of a host. They work for a server and for a client.
func (a *authority) issue(dir string, names []string, now time.Time) error {
	t, err := template(names[0], now, leafYears)
	if err != nil {
		return err
	}
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	for _, name := range names {
		switch ip := net.ParseIP(name); {
		case ip != nil:
			t.IPAddresses = append(t.IPAddresses, ip)
		case plausible(name):
			t.DNSNames = append(t.DNSNames, name)
		default:
			return fmt.Errorf("%.80q is neither a host name nor an IP address", name)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return fmt.Errorf("make the certificate of %s: %w", names[0], err)
	}
	return store(dir, fileOf(names[0]), der, key)
}

func template(name string, now time.Time, years int) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-clockSkew), NotAfter: now.AddDate(years, 0, 0),
	}, nil
}

// plausible reports whether a name looks like a host: letters, digits, dashes and dots, with an optional wildcard in
// front.
func plausible(host string) bool {
	host = strings.TrimPrefix(host, "*.")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			return false
		}
	}
	return true
}

// fileOf returns the file name for a host.
func fileOf(host string) string {
	if strings.EqualFold(host, "ca") { // that is the authority's file
		return "host-ca"
	}
	return strings.NewReplacer(":", "_", "*", "wildcard").Replace(host)
}

// store writes NAME.crt, and NAME.key which only its owner can read.
func store(dir, name string, der []byte, key *ecdsa.PrivateKey) error {
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	if err := os.WriteFile(filepath.Join(dir, name+".key"), keyPEM, 0o600); err != nil {
		return err
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	//nolint:gosec // a certificate is for everybody
	return os.WriteFile(filepath.Join(dir, name+".crt"), certPEM, 0o644)
}
