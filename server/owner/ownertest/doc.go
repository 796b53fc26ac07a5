// Package ownertest has a fleet and a store in memory, for tests of the owner and of the engine around it.
package ownertest
