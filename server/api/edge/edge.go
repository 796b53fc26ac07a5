// Package edge guards the HTTP API before any handler runs. It limits connections, bodies and guesses of tokens,
// refuses requests that a proxy could read in another way, checks where a request comes from, and authenticates it.
package edge

import "time"

// Limits of a request.
const (
	MaxBody    = 4 << 20          // bytes
	MaxHeaders = 16 << 10         // bytes, including the request line
	MaxRequest = 30 * time.Second // for reading a request, and again for its handler

	// MaxAnonymousBody is how many bytes a body may have without a valid token or session.
	MaxAnonymousBody = 64 << 10
)

// Media types of bodies.
const (
	TypeJSON = "application/json"
	TypeYAML = "application/yaml"
)
