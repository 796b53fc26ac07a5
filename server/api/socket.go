package api

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/strict"
	"github.com/rprp/hivego/server/hive"
)

// Limits of a socket.
const (
	maxMessage   = 4 << 10          // bytes of a message from a client
	pingEvery    = 15 * time.Second // to notice clients that have vanished
	pongWithin   = 45 * time.Second // from the last sign of life
	partWithin   = 2 * time.Second  // for the client to read the reason before the connection is closed
	sendWithin   = 10 * time.Second // for one frame to a slow reader
	messageEvery = 50 * time.Millisecond
	messageBurst = 200 // a client that reconnects follows all its topics at once
)

// Closing codes beside the codes of RFC 6455, by the HTTP status that they resemble.
const (
	closeMalformed = 4400
	closeEnded     = 4401
)

// closing is the reason why a socket is closed, with the words for its client.
type closing struct {
	code  int
	words string
}

// Error returns the words.
func (c *closing) Error() string { return c.words }

// socket is one client's connection. One goroutine reads, another writes; both end before serve does.
type socket struct {
	ws     *websocket.Conn
	client LiveClient
	info   func() hive.ServerInfo
	heard  time.Time // when the last message would have come at an even pace

	contract *strict.Contract
}

func (s *socket) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	var writer sync.WaitGroup
	writer.Go(func() {
		if s.write(ctx) {
			select {
			case <-ctx.Done(): // the client has closed its side
			case <-time.After(partWithin):
			}
		}
		_ = s.ws.Close() // ends the reader
	})
	s.hear()
	cancel()
	writer.Wait()
}

// hear reads messages until the client has gone or breaks a rule.
func (s *socket) hear() {
	s.ws.SetReadLimit(maxMessage)
	s.ws.SetPongHandler(func(string) error { return s.alive() })
	s.ws.SetPingHandler(func(data string) error {
		if err := s.alive(); err != nil {
			return err
		}
		_ = s.ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(time.Second))
		return nil
	})
	if s.alive() != nil {
		return
	}
	for {
		kind, data, err := s.ws.ReadMessage()
		if err == nil {
			if err = s.alive(); err == nil {
				err = s.message(kind, data)
			}
		}
		if err == nil {
			continue
		}
		if errors.Is(err, websocket.ErrReadLimit) {
			err = &closing{websocket.CloseMessageTooBig, ""}
		}
		if why, ok := errors.AsType[*closing](err); ok {
			s.client.End(why)
			s.drain()
		}
		return
	}
}

// drain reads until the client or the writer closes the connection. If unread bytes are left when a connection is
// closed, it is reset, and the closing frame may be lost. The bytes are dropped here, because the websocket library
// reads nothing after an error.
func (s *socket) drain() { _, _ = io.Copy(io.Discard, s.ws.NetConn()) }

// alive records a sign of life, and refuses a flood of them.
func (s *socket) alive() error {
	now := time.Now()
	if s.heard.Before(now) {
		s.heard = now
	}
	if s.heard = s.heard.Add(messageEvery); s.heard.Sub(now) > messageBurst*messageEvery {
		return &closing{websocket.ClosePolicyViolation, "too many messages"}
	}
	return s.ws.SetReadDeadline(now.Add(pongWithin))
}

func (s *socket) message(kind int, data []byte) error {
	if kind != websocket.TextMessage {
		return &closing{websocket.CloseUnsupportedData, "send text, not binary"}
	}
	var r model.LiveRequest
	if err := s.contract.Decode(data, &r); err != nil {
		return &closing{closeMalformed, err.Error()}
	}
	if err := checkRequest(&r); err != nil {
		return &closing{closeMalformed, err.Error()}
	}
	var err error
	switch here := presenceOf(&r); {
	case r.Op == model.LiveRequestOpDrop:
		s.client.Drop(r.ID)
	case r.Op == model.LiveRequestOpPresent:
		s.client.Present(r.ID, here)
	case r.Topic == model.LiveRequestTopicPresence:
		err = s.client.Join(r.ID, r.Schedule, here)
	default:
		err = s.client.Follow(r.ID, hive.LiveTopic(r.Topic), r.Batch)
	}
	if err != nil {
		return &closing{websocket.ClosePolicyViolation, err.Error()}
	}
	return nil
}

// checkRequest checks that a request has the fields of its operation and topic, and no others.
func checkRequest(r *model.LiveRequest) error {
	follow := r.Op == model.LiveRequestOpFollow
	joins := follow && r.Topic == model.LiveRequestTopicPresence
	presents := r.Op == model.LiveRequestOpPresent
	switch {
	case r.ID < 1 || r.ID > maxTopicID:
		return errors.New("id must be a number from 1 on, below 2³¹")
	case !follow && (r.Topic != "" || r.Batch != 0):
		return errors.New("only follow takes a topic")
	case follow && r.Topic == "":
		return errors.New("topic is missing")
	case follow && (r.Topic == model.LiveRequestTopicBatch) != (r.Batch > 0), r.Batch < 0:
		return errors.New("batch is the id of a batch, for the topic batch alone")
	case !joins && (r.Schedule != "" || r.Window != 0):
		return errors.New("schedule and window are for the topic presence alone")
	case !joins && !presents && (r.Changes != 0 || r.Tasks != nil):
		return errors.New("changes and tasks are for the topic presence and for present")
	case joins:
		here := presenceOf(r)
		return hive.CheckPresence(r.Schedule, &here)
	case presents:
		here := presenceOf(r)
		return hive.CheckPresent(&here)
	}
	return nil
}

func presenceOf(r *model.LiveRequest) hive.Presence {
	return hive.Presence{Window: r.Window, Changes: r.Changes, Tasks: r.Tasks}
}

const maxTopicID = 1<<31 - 1

// write sends frames as they arrive, pings, and at the end the reason for closing. sent reports that the client got the
// reason.
func (s *socket) write(ctx context.Context) (sent bool) {
	now := time.Now()
	if s.send(helloFrame(s.info(), now), nil) != nil {
		return false
	}
	pingAt := now.Add(pingEvery)
	for {
		until, cancel := context.WithDeadline(ctx, pingAt)
		f, err := s.client.Next(until)
		cancel()
		switch {
		case err == nil:
			head, body := encodeFrame(&f)
			err = s.send(head, body)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			err = nil
		}
		if now = time.Now(); err == nil && !now.Before(pingAt) {
			pingAt = now.Add(pingEvery)
			if err = s.ws.WriteControl(websocket.PingMessage, nil, now.Add(sendWithin)); err == nil {
				err = s.send(helloFrame(s.info(), now), nil) // browsers do not show pings to their pages
			}
		}
		if err != nil {
			return s.sendReason(err)
		}
	}
}

// send writes one message in two parts. The second is shared with other clients.
func (s *socket) send(head, body []byte) error {
	if err := s.ws.SetWriteDeadline(time.Now().Add(sendWithin)); err != nil {
		return err
	}
	w, err := s.ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// maxCloseWords is the greatest length of the words in a closing frame.
const maxCloseWords = 123

// sendReason sends the client the reason for closing, if the connection still works.
func (s *socket) sendReason(err error) (sent bool) {
	code, words := websocket.CloseInternalServerErr, ""
	why, ok := errors.AsType[*closing](err)
	switch {
	case ok:
		code, words = why.code, why.words
	case errors.Is(err, hive.ErrStopping):
		code, words = websocket.CloseGoingAway, err.Error()
	case errors.Is(err, hive.ErrEnded):
		code, words = closeEnded, err.Error()
	case errors.Is(err, context.Canceled):
		return false // the client has gone
	}
	err = s.ws.WriteControl(websocket.CloseMessage,
		websocket.FormatCloseMessage(code, hive.Clean(words, maxCloseWords)),
		time.Now().Add(time.Second))
	return err == nil || errors.Is(err, websocket.ErrCloseSent)
}
