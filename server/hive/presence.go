package hive

import (
	"errors"
	"fmt"
	"regexp"
)

// Limits of presence.
const (
	MaxPresenceTasks   = 20        // chosen tasks that a window names
	MaxPresenceChanges = 1_000_000 // changes that a window counts
	MaxPeople          = 50        // people of a schedule that are named
	MaxWindows         = 10        // windows of a person that are listed
)

// Presence is what a window of a browser says of itself while it has a schedule open in the editor.
type Presence struct {
	// Window is a number that the browser draws for each window. It tells windows of one person apart. After a new
	// connection the window replaces itself.
	Window  int64    `json:"w"`
	Changes int      `json:"c,omitempty"` // of the draft
	Tasks   []string `json:"t,omitempty"` // keys of the tasks that are chosen on the canvas
}

// PersonHere is a person who has a schedule open in the editor, in one window or in several.
type PersonHere struct {
	Name    string
	Windows []int64 // sorted
	Changes int     // the most that one of the windows counts: all of them show the same draft
	Tasks   []string
}

var (
	scheduleForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	taskForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)
)

// CheckPresence checks what a client says of itself at a schedule that it opens.
func CheckPresence(schedule string, p *Presence) error {
	switch {
	case !scheduleForm.MatchString(schedule):
		return errors.New("schedule is the name of a schedule")
	case p.Window < 1 || p.Window >= 1<<31:
		return errors.New("window is a number from 1 on, below 2³¹")
	}
	return CheckPresent(p)
}

// CheckPresent checks what a client says of itself later. Nothing in it is free text, because other people see it.
func CheckPresent(p *Presence) error {
	switch {
	case p.Changes < 0 || p.Changes > MaxPresenceChanges:
		return fmt.Errorf("changes is a number from 0 to %d", MaxPresenceChanges)
	case len(p.Tasks) > MaxPresenceTasks:
		return fmt.Errorf("tasks has at most %d keys", MaxPresenceTasks)
	}
	for _, key := range p.Tasks {
		if !taskForm.MatchString(key) {
			return errors.New("tasks has keys of tasks")
		}
	}
	return nil
}
