package supervise

import (
	"slices"
	"testing"
)

func TestTheSupervisorGetsNoSecrets(t *testing.T) {
	t.Parallel()
	got := withoutSecrets([]string{
		"HIVEGO_DATABASE_URL=postgres://u:p@h/d", "PATH=/bin", "PGPASSWORD=p", "HOME=/root",
		"AWS_SECRET=x", "TZ=UTC",
	})
	if want := []string{"PATH=/bin", "HOME=/root", "TZ=UTC"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
