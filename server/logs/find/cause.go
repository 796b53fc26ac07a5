package find

import (
	"github.com/rprp/hivego/server/hive"
)

// cause finds the line that best explains the failure of an attempt: the last of the lines near the end of the log that
// look most like an error. An attempt that ended well has none. When the time is over, cause continues with the last
// part of the log, which is always searched because most errors are there.
func (r *rules) cause(s *search) (hive.LogPlace, error) {
	from, err := s.lineFrom(max(s.size-tail, 0))
	if err != nil {
		return hive.LogPlace{}, err
	}
	best, place, traceback := none, hive.LogPlace{Next: s.size, Complete: from == 0}, false
	for from < s.size {
		if s.timeUp() {
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
	place.Complete = true // more of the log would not give a better line
	return place, nil
}
