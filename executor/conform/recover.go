package conform

import (
	"context"
	"fmt"
	"time"
)

// wholeLife is the rule without which no other rule for durable executors says anything.
const wholeLife = "life.whole"

// blocked says why a rule cannot be checked after what was found before; empty: it can.
func (p *probe) blocked(r rule) string {
	if p.senseless != "" {
		return p.senseless
	}
	if r.durable && p.broken[wholeLife] {
		return "it needs what " + wholeLife + " says"
	}
	for _, name := range r.after {
		if p.broken[name] {
			return "it needs what " + name + " says"
		}
	}
	return ""
}

// recoverTime is how long an executor may take to be ready again after a rule that it broke.
const recoverTime = 10 * time.Second

// recover waits until the executor can be checked again after it broke a rule. If the check started it and it does not
// answer any more, it is started again, whatever its wrapper does. If it cannot be checked, recover says why.
func (p *probe) recover(ctx context.Context, r rule) string {
	why := p.ready(ctx, r)
	if why == "" || p.program == nil {
		return why
	}
	if err := p.program.kill(); err != nil {
		return fmt.Sprintf("after %s: %s", r.name, err)
	}
	if err := p.startProgram(ctx); err != nil {
		return fmt.Sprintf("after %s: %s", r.name, err)
	}
	return p.ready(ctx, r) // work may have outlived the executor
}

// ready waits until the executor answers and has a slot. If it does not, ready says why.
func (p *probe) ready(ctx context.Context, r rule) string {
	for end := time.Now().Add(recoverTime); ; {
		d, err := Describe(ctx, p.Target)
		why := fmt.Sprintf("after %s it does not answer any more", r.name)
		if err == nil {
			l := loadOf(d)
			if !r.durable || l.GetRunning() < max(l.GetSlots(), 1) {
				return ""
			}
			why = fmt.Sprintf("after %s all its slots are taken by work that does not end", r.name)
		}
		gone := err != nil && p.program != nil && p.program.hasEnded()
		if gone || time.Now().After(end) || pause(ctx, askAgain) != nil {
			return why
		}
	}
}

// startProgram starts the executor, in the time of one rule, and asks who it is in this life.
func (p *probe) startProgram(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	err := p.program.start(ctx)
	if err == nil {
		p.described, err = Describe(ctx, p.Target)
	}
	return err
}
