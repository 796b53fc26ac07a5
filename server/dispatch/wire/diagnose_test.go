package wire

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// newUnframed starts an executor with a transport that has no frames.
func newUnframed(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	cfg := &thrift.TConfiguration{TBinaryStrictRead: new(true)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p := thrift.NewTBinaryProtocolConf(thrift.NewTBufferedTransport(thrift.NewTSocketFromConnConf(c, cfg),
				bufferSize), cfg)
			_, _ = hivego.NewExecutorProcessor(&wiretest.Executor{ID: "x"}).Process(t.Context(), p, p)
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// The error names the mistake at an address that is being added precisely, and quotes nothing that it sent.
func TestDescribeRefusals(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	client, log := newTestClient(t), slog.New(slog.DiscardHandler)
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	t.Cleanup(func() { _ = garbage.Close() })
	go func() {
		for {
			c, err := garbage.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 400 this is private\r\n\r\n"))
			_ = c.Close()
		}
	}()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	tlsAddress := secure.Listener.Addr().String()
	_, tlsPort, err := net.SplitHostPort(tlsAddress)
	require.NoError(t, err)
	unframed := newUnframed(t)
	for name, c := range map[string]struct {
		exec hive.Executor
		want hive.ErrorReason
	}{
		"TLS, unasked":  {hive.Executor{Address: tlsAddress}, hive.ErrorExecutorTLS},
		"no authority":  {hive.Executor{Address: tlsAddress, TLS: true}, hive.ErrorExecutorCertificate},
		"another host":  {hive.Executor{Address: "localhost:" + tlsPort, TLS: true}, hive.ErrorExecutorCertHost},
		"no frames":     {hive.Executor{Address: unframed}, hive.ErrorExecutorNotFramed},
		"nobody":        {hive.Executor{Address: closed.Addr().String()}, hive.ErrorExecutorUnreachable},
		"another token": {hive.Executor{Address: x.Address(), Secret: "wrong"}, hive.ErrorExecutorToken},
		"no TLS": {
			hive.Executor{Address: x.Address(), Secret: "secret of x", TLS: true},
			hive.ErrorExecutorNoTLS,
		},
		"no Thrift": {hive.Executor{Address: garbage.Addr().String()}, hive.ErrorExecutorNotThrift},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client.Describe(t.Context(), c.exec, callerOf(c.exec), log)
			var refused *hive.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, refused.Reason)
			assert.NotContains(t, err.Error(), "private", "nothing of what is said there comes back")
			assert.NotContains(t, err.Error(), "wrong")
		})
	}
	abroad := hive.Executor{Address: "localhost:" + tlsPort, TLS: true}
	_, err = client.Describe(t.Context(), abroad, callerOf(abroad), log)
	require.ErrorContains(t, err, "its names are example.com, *.example.com, 127.0.0.1: add the address by one of them")
	d, err := client.Describe(t.Context(), x.RunOnlyRow(), callerOf(x.RunOnlyRow()), log)
	require.NoError(t, err)
	assert.Equal(t, "x", d.ID)
	assert.Equal(t, 1, d.Slots)
}
