package config

import (
	"fmt"
	"os"
	"strings"
)

// minToken is the least length of a token that a person supplies, in characters. Those that HiveGo makes have 43.
const minToken = 32

// ExecutorToken reads the token of --executor-token-file. It returns "" without the flag.
func (c *Serve) ExecutorToken() (string, error) {
	if c.ExecutorTokenFile == "" {
		return "", nil
	}
	token, err := readToken(c.ExecutorTokenFile, "a token for executors")
	switch {
	case err != nil:
		return "", fmt.Errorf("--executor-token-file: %w", err)
	case len(token) < minToken, strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("--executor-token-file: %s must hold a token of at least %d printable characters and no "+
			"spaces; `openssl rand -hex 32` makes one", c.ExecutorTokenFile, minToken)
	}
	return token, nil
}

// Token reads the token file.
func (c *Executor) Token() (string, error) { return readToken(c.TokenFile, "the executor token") }

// readToken reads a file that holds a token. what says which token it is.
func readToken(file, what string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	t := strings.TrimSpace(string(raw))
	if t == "" {
		return "", fmt.Errorf("%s is empty; put %s in", file, what)
	}
	return t, nil
}
