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

// What Graphs remembers at most.
const (
	maxGraphs     = 64
	maxGraphTasks = 50_000 // of all of them together; the latest one is kept whatever its size
)

// Graphs makes the graphs of stored revisions and remembers those used last: a revision never changes, and reading
// ten thousand tasks takes a good part of a second. It may be used by many goroutines at once.
type Graphs struct {
	mu   sync.Mutex
	kept []keptGraph // used last at the end
	// read are the definitions that were made here and that somebody still holds, by the sum of their text.
	read map[textSum]weak.Pointer[hive.Definition]
}

type textSum [sha256.Size]byte

type keptGraph struct {
	id       int64
	document string
	graph    *graph.Graph
}

// Compile makes the graph of a stored revision. A stored document was valid when it was saved; if it is not any more,
// the error is a *hive.Error of CodeInternal.
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
	g.keep(keptGraph{id: rev.ID, document: rev.Document, graph: made})
	return made, nil
}

// Definition reads a stored document. While somebody holds what was made of a text, others get the same and need not
// read the text again; nobody may change it. It is nil if one of the faults is more than a warning.
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

// unread forgets a text whose definition nobody holds any more, unless it was read again meanwhile.
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
	at := slices.IndexFunc(g.kept, func(k keptGraph) bool { return k.id == rev.ID && k.document == rev.Document })
	if at < 0 {
		return nil
	}
	k := g.kept[at]
	g.kept = append(slices.Delete(g.kept, at, at+1), k)
	return k.graph
}

func (g *Graphs) keep(k keptGraph) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = append(g.kept, k)
	tasks := 0
	for at := range slices.Backward(g.kept) {
		tasks += len(g.kept[at].graph.Tasks)
		if at < len(g.kept)-1 && (tasks > maxGraphTasks || len(g.kept)-at > maxGraphs) {
			g.kept = slices.Delete(g.kept, 0, at+1)
			return
		}
	}
}
