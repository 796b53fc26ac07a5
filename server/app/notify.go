package app

import (
	"fmt"
	"log/slog"
	"net"
	"os"
)

// The states that systemd knows (sd_notify(3)).
const (
	stateReady    = "READY=1"
	stateStopping = "STOPPING=1"
)

// notifySystemd reports a state to systemd if it started this process with Type=notify. Otherwise it does nothing.
func notifySystemd(log *slog.Logger, state string) {
	if err := notify(os.Getenv("NOTIFY_SOCKET"), state); err != nil {
		log.Warn("systemd cannot be notified", "error", err)
	}
}

// notify sends a state to a socket. A name that begins with @ is in Linux's abstract namespace, as for net.Dial.
func notify(socket, state string) error {
	if socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("connect to NOTIFY_SOCKET: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("write to NOTIFY_SOCKET: %w", err)
	}
	return nil
}
