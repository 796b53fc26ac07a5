package dispatch

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/rprp/hivego/server/hive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ref names an attempt without a key.
func ref(id int64) hive.AttemptRef { return hive.AttemptRef{ID: id} }
