package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits for the size of a log.
const (
	minLog = 64 << 10
	maxLog = 1 << 40

	maxS3Log = 5 << 30
)

// units are the suffixes of sizes, largest first.
var units = []struct { //nolint:gochecknoglobals // a table
	name string
	size int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// size is the flag type of a number of bytes such as 200MiB or 2GiB.
type size struct{ n *int64 }

func (v size) String() string {
	if v.n == nil {
		return "0"
	}
	return sizeText(*v.n)
}

func (v size) Set(s string) error {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > maxLog/factor {
		return fmt.Errorf("%.40q is no size: write a whole number and KiB, MiB, GiB or TiB, as in 200MiB", s)
	}
	*v.n = n * factor
	return nil
}

func (v size) Type() string { return "size" }

// sizeText formats n in the largest unit that divides it.
func sizeText(n int64) string {
	for _, u := range units {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}
