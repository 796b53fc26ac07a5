package api

import (
	"encoding/json"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// helloFrame returns the first frame of a client, which is later a sign of life.
func helloFrame(i hive.ServerInfo, now time.Time) []byte {
	return text(model.LiveFrame{Op: model.LiveFrameOpHello, Epoch: i.Epoch, Now: wire.At(now), Server: i.Version})
}

// encodeFrame encodes a frame in two parts. The head belongs to one client; all clients at the same version share the
// body.
func encodeFrame(f *hive.LiveFrame) (head, body []byte) {
	if f.Refused != nil {
		return text(model.LiveFrame{Op: model.LiveFrameOpRefused, ID: f.ID, Problem: problemOf(f.Refused)}), nil
	}
	op := model.LiveFrameOpDelta
	if f.Snapshot {
		op = model.LiveFrameOpSnapshot
	}
	head = text(model.LiveFrame{Op: op, ID: f.ID, Epoch: f.Epoch, N: f.N})
	return head[:len(head)-1], f.Body
}

// EncodeLiveBody encodes the part of a frame after its head. The live hub calls it once for all clients at a version.
func EncodeLiveBody(b *hive.LiveBody) []byte {
	var out struct {
		Batch   *model.Batch          `json:"batch,omitempty"`
		Runs    []model.LiveRun       `json:"runs,omitempty"`
		Batches *[]model.BatchSummary `json:"batches,omitempty"`
		People  *[]model.LivePerson   `json:"people,omitempty"`
		More    int                   `json:"morePeople,omitempty"`
	}
	if b.Batch != nil {
		v := batchView(b.Batch)
		out.Batch = &v
	}
	if b.Snapshot && len(b.Runs) > 0 {
		out.Batch.Tasks = taskRuns(b.Runs)
	}
	for _, r := range b.Runs {
		if !b.Snapshot {
			out.Runs = append(out.Runs, liveRun(r))
		}
	}
	if b.Batches != nil {
		list := make([]model.BatchSummary, 0, len(b.Batches))
		for i := range b.Batches {
			list = append(list, batchSummary(&b.Batches[i]))
		}
		out.Batches = &list
	}
	if b.People != nil {
		list := make([]model.LivePerson, 0, len(b.People))
		for _, p := range b.People {
			list = append(list, model.LivePerson{
				Name: p.Name, Windows: p.Windows, Changes: p.Changes, Tasks: append([]string{}, p.Tasks...),
			})
		}
		out.People, out.More = &list, b.MorePeople
	}
	rest := text(out)
	if len(rest) > len("{}") {
		rest[0] = ','
		return rest
	}
	return rest[1:]
}

// text encodes v as JSON. All values written here can be encoded.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
