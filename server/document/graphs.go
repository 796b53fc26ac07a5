package document

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Limits of Graphs.
const (
	maxGraphs     = 64
	maxGraphTasks = 50_000 // of all graphs together; the latest graph is cached at any size
)

// Graphs compiles stored revisions and caches the recently used graphs. A revision never changes, and parsing ten
// thousand tasks takes a good part of a second. Graphs is safe for concurrent use.
type Graphs struct {
	mu     sync.Mutex
	cached []cachedGraph // the most recently used is the last
	// read has the definitions that are still in use, by the hash of their text.
	read map[textSum]weak.Pointer[hive.Definition]
}

type textSum [sha256.Size]byte

type cachedGraph struct {
	id       int64
	document string
	graph    *graph.Graph
}

// Compile returns the graph of a stored revision. A document was valid when it was stored. If it is not any more, the
// error is a *hive.Error of CodeInternal.
func (g *Graphs) Compile(rev *hive.Revision) (*graph.Graph, error) {
	if known := g.find(rev); known != nil {
		return known, nil
	}
	def, faults := g.Definition(rev.Document)
	if def == nil {
		return nil, &hive.Error{
			Code:   hive.CodeInternal,
			Words:  fmt.Sprintf("revision %d (id %d) cannot be read any more", rev.Number, rev.ID),
			Faults: faults,
		}
	}
	made, err := graph.Compile(def)
	if err != nil {
		return nil, err
	}
	g.add(cachedGraph{id: rev.ID, document: rev.Document, graph: made})
	return made, nil
}

// Definition parses a stored document. While the definition of a text is still in use, further calls return the same
// definition without parsing the text again. The caller must not change it. It is nil if a fault is more than a
// warning.
func (g *Graphs) Definition(text string) (*hive.Definition, []hive.Fault) {
	sum := textSum(sha256.Sum256([]byte(text)))
	g.mu.Lock()
	known := g.read[sum].Value()
	g.mu.Unlock()
	if known != nil {
		return known, nil
	}
	doc, faults := Parse([]byte(text), Options{Stored: true})
	if doc == nil || hive.Refused(faults) {
		return nil, faults
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.read == nil {
		g.read = map[textSum]weak.Pointer[hive.Definition]{}
	}
	g.read[sum] = weak.Make(doc.Definition)
	runtime.AddCleanup(doc.Definition, g.unread, sum)
	return doc.Definition, faults
}

// unread removes the entry of a text whose definition was collected, unless the text was parsed again meanwhile.
func (g *Graphs) unread(sum textSum) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.read[sum].Value() == nil {
		delete(g.read, sum)
	}
}

func (g *Graphs) find(rev *hive.Revision) *graph.Graph {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.IndexFunc(g.cached, func(k cachedGraph) bool { return k.id == rev.ID && k.document == rev.Document })
	if at < 0 {
		return nil
	}
	k := g.cached[at]
	g.cached = append(slices.Delete(g.cached, at, at+1), k)
	return k.graph
}

func (g *Graphs) add(k cachedGraph) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cached = append(g.cached, k)
	tasks := 0
	for at := range slices.Backward(g.cached) {
		tasks += len(g.cached[at].graph.Tasks)
		if at < len(g.cached)-1 && (tasks > maxGraphTasks || len(g.cached)-at > maxGraphs) {
			g.cached = slices.Delete(g.cached, 0, at+1)
			return
		}
	}
}
