// Package ownertest has what tests of an owner, and of the engine around it, need: a fleet and a store in memory.
package ownertest
