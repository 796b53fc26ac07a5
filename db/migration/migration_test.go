package migration

import "testing"

// Both kinds of databases have the same steps.
func TestSteps(t *testing.T) {
	t.Parallel()
	lite, err := load("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	post, err := load("postgres")
	if err != nil {
		t.Fatal(err)
	}
	if len(lite) == 0 || len(lite) != len(post) || Latest() != len(lite) {
		t.Fatalf("%d steps for SQLite, %d for PostgreSQL, latest %d", len(lite), len(post), Latest())
	}
	for i := range lite {
		if lite[i].name != post[i].name || lite[i].version != i+1 {
			t.Errorf("step %d is %q and %q", i+1, lite[i].name, post[i].name)
		}
	}
}
