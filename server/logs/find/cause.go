package find

import (
	"github.com/rprp/hivego/server/hive"
)

// cause finds the line that a person looks for when an attempt has failed: of the lines near the end of its log, the
// last of those that look most like an error. Of an attempt that ended well there is none. When the time is over it
// goes on with what is nearest to the end, which is always looked at: that is where errors stand.
func (r *rules) cause(s *search) (hive.LogPlace, error) {
	from, err := s.lineFrom(max(s.size-tail, 0))
	if err != nil {
		return hive.LogPlace{}, err
	}
	best, place, traceback := none, hive.LogPlace{Next: s.size, Complete: from == 0}, false
	for from < s.size {
		if s.late() {
			last, err := s.lineFrom(max(s.size-near, 0))
			if err != nil {
				return hive.LogPlace{}, err
			}
			if last > from {
				from, traceback = last, false
			}
		}
		block, err := s.block(from)
		if err != nil {
			return hive.LogPlace{}, err
		}
		for begin := 0; begin < len(block); {
			line := lineAt(block, begin)
			if st, mark := parse(line); st == sys && r.well.Match(line[mark:]) {
				best, place = none, hive.LogPlace{Next: s.size, Complete: true}
			} else if w := r.weigh(line, &traceback); w != none && w >= best {
				best, place = w, hive.LogPlace{
					Found: true, Offset: from + int64(begin),
					Next: from + int64(begin+len(line)+1),
				}
			}
			begin += len(line) + 1
		}
		from += int64(len(block))
	}
	place.Next = min(place.Next, s.size)
	place.Complete = true // a person wants what stands near the end, if anything
	return place, nil
}
