package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes is how many scrapes are answered at once.
const maxScrapes = 4

// Handler answers GET /metrics. With a token, requests must carry it as "Authorization: Bearer TOKEN". Without one,
// they must name this machine as their host, so that no page of another site can read the answer in a browser.
func (m *Metrics) Handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case token != "" && !carries(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the metrics need the token of --metrics-token-file, as Authorization: Bearer TOKEN",
				http.StatusUnauthorized)
		case token == "" && !isLocal(r.Host):
			http.Error(w, "without --metrics-token-file, the metrics are for 127.0.0.1 and localhost only",
				http.StatusMisdirectedRequest)
		case r.URL.Path != "/metrics":
			http.Error(w, "the metrics are at /metrics", http.StatusNotFound)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// carries reports whether a request has the token. Hashes are compared, so that the time tells nothing about it.
func carries(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// isLocal reports whether the host of a request is a name of the machine itself.
func isLocal(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
