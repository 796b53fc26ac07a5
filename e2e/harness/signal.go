package harness

import (
	"net/http"
	"syscall"
)

// Freeze stops the server's process, as a suspended machine does.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server continue.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.proc.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("%s to the server: %v", sig, err)
	}
}

// Running reports whether the server's process exists.
func (s *Server) Running() bool { return !s.proc.Ended() }

// Ready returns the status of /readyz; 0 if the server does not answer.
func (s *Server) Ready() int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL+"/readyz", http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
