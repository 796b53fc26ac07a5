package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/model"
)

// In a terminal, top shows each picture over the one before, keeps it while the server is away, and puts the screen
// back at its end.
func TestShowLive(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	looks := 0
	look := func(context.Context) (*picture, error) {
		switch looks++; looks {
		case 1:
			return &picture{Overview: model.Overview{Running: 7}}, nil
		case 2:
			return nil, errors.New("the server is away\x1b[2J")
		case 3:
			return &picture{Overview: model.Overview{Running: 8}}, nil
		default:
			cancel()
			return nil, context.Canceled
		}
	}
	var out bytes.Buffer
	if err := showLive(ctx, &out, time.Microsecond, look); err != nil {
		t.Fatal(err)
	}
	body, begins := strings.CutPrefix(out.String(), otherScreen)
	body, ends := strings.CutSuffix(body, ownScreen)
	frames := strings.Split(body, topLeft)[1:]
	if !begins || !ends || len(frames) != 3 {
		t.Fatalf("%d pictures, %q", len(frames), out.String())
	}
	for i, want := range []string{"7 running", "the server is away", "8 running"} {
		if !strings.Contains(frames[i], want) || !strings.HasSuffix(frames[i], clearBelow) {
			t.Errorf("picture %d: %q", i, frames[i])
		}
	}
	if !strings.Contains(frames[1], "7 running") || strings.Contains(frames[1], "\x1b[2J") {
		t.Errorf("while the server is away: %q", frames[1])
	}
	if strings.Contains(frames[2], "away") {
		t.Errorf("when it is back: %q", frames[2])
	}
}

// A server that cannot be reached at the beginning is an error, and the screen is left alone.
func TestShowLiveFails(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := showLive(t.Context(), &out, time.Hour, func(context.Context) (*picture, error) {
		return nil, errors.New("no server")
	})
	if err == nil || out.Len() > 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}
