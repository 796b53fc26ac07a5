package hive

// Effective returns a task of the job with everything that it takes from the job: a task of a disabled job is disabled.
// It returns t itself if the task takes nothing. It does not change t.
func (j *Job) Effective(t *Task) *Task {
	if !j.Disabled || t.Disabled {
		return t
	}
	merged := *t
	merged.Disabled = true
	return &merged
}
