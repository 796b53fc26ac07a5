package registry

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// serve starts a registry on a real listener.
func serve(t *testing.T, store Store) (url string, known *[]hive.Executor) {
	t.Helper()
	known = new([]hive.Executor)
	r := New("c", store, func(e hive.Executor) { *known = append(*known, e) }, time.Now)
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return s.URL, known
}

func registryAt(t *testing.T, url string) *hivego.RegistryClient {
	t.Helper()
	tr, err := thrift.NewTHttpClientWithOptions(url, thrift.THttpClientOptions{
		Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = tr.Close() })
	p := thrift.NewTBinaryProtocolConf(tr, nil)
	return hivego.NewRegistryClient(thrift.NewTStandardClient(p, p))
}

// An executor registers over HTTP, and gets the exceptions of the contract.
func TestRegistryOverHTTP(t *testing.T) {
	t.Parallel()
	url, known := serve(t, registrar{stored: map[string]hive.Executor{}})
	reply, err := registryAt(t, url).RegisterExecutor(t.Context(), registration())
	require.NoError(t, err)
	assert.Equal(t, "c", reply.GetClusterId())
	assert.Equal(t, registerAgain.Milliseconds(), reply.GetAgainMillis())
	require.Len(t, *known, 1)
	assert.Equal(t, "etl", (*known)[0].Group)

	c := registration()
	c.Token = new("wrong")
	_, err = registryAt(t, url).RegisterExecutor(t.Context(), c)
	var denied *hivego.AccessDenied
	require.ErrorAs(t, err, &denied)
	assert.Contains(t, denied.GetMessage(), "hivego token create --group etl")
	c = registration()
	c.Slots = new(int32(0))
	_, err = registryAt(t, url).RegisterExecutor(t.Context(), c)
	require.ErrorAs(t, err, new(*hivego.BadCall))
	assert.Len(t, *known, 1)
}

// broken is a store that does not answer.
type broken struct{ registrar }

func (broken) GroupOf(context.Context, string) (string, error) {
	return "", errors.New("no route to host")
}

// While the database does not answer, nobody is denied: the executor tries again.
func TestRegistryWithoutDatabase(t *testing.T) {
	t.Parallel()
	url, known := serve(t, broken{})
	_, err := registryAt(t, url).RegisterExecutor(t.Context(), registration())
	require.Error(t, err)
	var denied *hivego.AccessDenied
	assert.NotErrorAs(t, err, &denied)
	assert.Empty(t, *known)
}

// message returns the beginning of a call of registerExecutor.
func message(name string) []byte {
	b := []byte{0x80, 0x01, 0x00, byte(thrift.CALL)}
	b = binary.BigEndian.AppendUint32(b, uint32(len(name)))
	b = append(b, name...)
	return binary.BigEndian.AppendUint32(b, 1)
}

// A body that is no call, or that claims a false size, gets an answer at once and takes no memory.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	url, known := serve(t, registrar{stored: map[string]hive.Executor{}})
	register := message("registerExecutor")
	structField := []byte{thrift.STRUCT, 0, 1}
	claims := func(kind byte, rest ...byte) []byte { // field 1 of the arguments, in it a field that claims 2 GiB
		b := append(bytes.Clone(register), structField...)
		b = append(b, kind, 0, 99)
		return append(b, rest...)
	}
	for name, body := range map[string][]byte{
		"empty":               nil,
		"text":                []byte("GET / HTTP/1.1\r\n\r\n"),
		"cut short":           register,
		"unknown method":      append(message("shutdown"), thrift.STOP),
		"no arguments":        append(bytes.Clone(register), thrift.STOP),
		"none to leave with":  append(message("deregisterExecutor"), thrift.STOP),
		"a long string":       claims(thrift.STRING, 0x7f, 0xff, 0xff, 0xff),
		"a negative string":   claims(thrift.STRING, 0xff, 0xff, 0xff, 0xff),
		"a long list":         claims(thrift.LIST, thrift.STRUCT, 0x7f, 0xff, 0xff, 0xff),
		"a long map":          claims(thrift.MAP, thrift.STRING, thrift.STRING, 0x7f, 0xff, 0xff, 0xff),
		"deeply nested":       append(bytes.Clone(register), bytes.Repeat(structField, 50_000)...),
		"zeros":               make([]byte, 10_000),
		"larger than allowed": make([]byte, hivego.MAX_REGISTRATION_BYTES+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
			require.NoError(t, err)
			resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			if resp.StatusCode == http.StatusOK { // then it is a Thrift exception
				assert.Equal(t, "application/x-thrift", resp.Header.Get("Content-Type"))
				assert.NotEmpty(t, text)
			} else {
				assert.Contains(t, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}, resp.StatusCode)
			}
		})
	}
	t.Run("GET", func(t *testing.T) {
		t.Parallel()
		rec := httptest.NewRecorder()
		New("c", nil, nil, time.Now).ServeHTTP(rec,
			httptest.NewRequest(http.MethodGet, "/", strings.NewReader("")))
		assert.Equal(t, http.StatusMethodNotAllowed, rec.Code)
		assert.Equal(t, http.MethodPost, rec.Header().Get("Allow"))
	})
	t.Cleanup(func() { assert.Empty(t, *known) })
}
