package cli_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

func TestRetriesAreSafe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	backend := strings.TrimPrefix(w.server, "http://")
	w.server = "http://" + l.Addr().String()
	var connections atomic.Int32
	go func() { // a proxy that loses the first answer
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go proxy(c, backend, connections.Add(1) == 1)
		}
	}()
	keys := map[string]int{}
	w.CreateF = func(r hive.RunRequest) (hive.BatchView, error) {
		keys[r.Key]++
		return apitest.SampleBatch(), nil
	}
	w.want(w.hivego("run", "warehouse"), 0, "7\n", "")
	if len(keys) != 1 {
		t.Errorf("the repetition had another key: %v", keys)
	}
	for _, n := range keys {
		if n != 2 {
			t.Errorf("the call came %d times", n)
		}
	}
}

// proxy forwards bytes. If it is lossy, it closes the connection instead of returning the answer.
func proxy(c net.Conn, backend string, lossy bool) {
	defer c.Close()
	b, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer b.Close()
	go pipe(b, c)
	if lossy {
		buf := make([]byte, 1)
		_, _ = b.Read(buf)
		return
	}
	pipe(c, b)
}

func pipe(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
