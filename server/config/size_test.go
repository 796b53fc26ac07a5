package config

import "testing"

func TestSize(t *testing.T) {
	t.Parallel()
	var n int64
	v := size{&n}
	for text, want := range map[string]int64{
		"65536": 65536, "200MiB": 200 << 20, "2GiB": 2 << 30, "3 KiB": 3 << 10,
		"1TiB": 1 << 40, "0": 0,
	} {
		if err := v.Set(text); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5GiB", "2GB", "9223372036854775807TiB", "2TiB", "0x10"} {
		if err := v.Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, n)
		}
	}
	for want, bytes := range map[string]int64{"2GiB": 2 << 30, "1500KiB": 1500 << 10, "1025": 1025, "0": 0} {
		if n = bytes; v.String() != want {
			t.Errorf("%d is %s, want %s", bytes, v, want)
		}
	}
}
