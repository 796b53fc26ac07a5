package app

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNotify(t *testing.T) {
	t.Parallel()
	require.NoError(t, notify("", stateReady), "a start without systemd")

	name := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	require.NoError(t, err)
	require.NoError(t, notify(name, stateReady))
	got := make([]byte, 100)
	n, err := socket.Read(got)
	require.NoError(t, err)
	require.Equal(t, "READY=1", string(got[:n]))

	require.NoError(t, socket.Close())
	require.Error(t, notify(name, stateStopping), "nobody listens")
}
