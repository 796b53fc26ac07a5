package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// certificateSentence describes the fault of a certificate, without the certificate's content.
func certificateSentence(err *tls.CertificateVerificationError) hive.Sentence {
	var (
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		return hive.NewSentence(hive.SentenceCertHost, "its certificate is not trusted: it is for another host")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return hive.NewSentence(hive.SentenceCertExpired,
			"its certificate is not trusted: it has expired, or is not valid yet")
	default:
		return hive.NewSentence(hive.SentenceCertAuthority,
			"its certificate is not trusted: an authority that this server does not know has signed it")
	}
}

// certificateTrouble describes the fault of the certificate of an executor that is being added, and the remedy. hosts
// are the hosts of a certificate for another host.
func certificateTrouble(err error) (refusal hive.ErrorReason, hosts, remedy string) {
	var (
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		hosts = strings.Join(certificateHosts(host.Certificate), ", ")
		if hosts == "" {
			return hive.ErrorExecutorCertHost, "no host",
				"give the executor one for the host of this address; `hivego certs` makes it"
		}
		return hive.ErrorExecutorCertHost, hosts,
			"its names are " + hosts + ": add the address by one of them, or give the " +
				"executor a certificate for this one"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return hive.ErrorExecutorCertOld, "",
			"give the executor a new one, and look at the clocks; `hivego certs` makes one"
	default:
		return hive.ErrorExecutorCertificate, "",
			"start this server with --ca, the certificate of the authority that signed it"
	}
}

// maxHosts is the number of hosts of a certificate that an error names.
const maxHosts = 3

// certificateHosts returns the first hosts of a certificate. Nobody has verified it, so it leaves out texts that are
// not names of hosts.
func certificateHosts(cert *x509.Certificate) []string {
	var hosts []string
	for _, name := range cert.DNSNames {
		if hostLike(name) {
			hosts = append(hosts, name)
		}
	}
	for _, ip := range cert.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	return hosts[:min(len(hosts), maxHosts)]
}

// hostLike reports whether a text has only characters of host names.
func hostLike(name string) bool {
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-*", r)
	})
}
