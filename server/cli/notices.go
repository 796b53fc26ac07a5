package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

// printNotices warns that the database went back to an earlier state.
func printNotices(cmd *cobra.Command, api *client.ClientWithResponses) {
	r, err := api.ListNoticesWithResponse(cmd.Context(), &model.ListNoticesParams{})
	if err != nil || r.JSON200 == nil {
		return // older servers have no notices; the list of executors is printed already
	}
	for i := range r.JSON200.Items {
		fmt.Fprintln(cmd.ErrOrStderr(), noticeWords(&r.JSON200.Items[i]))
	}
}

func noticeWords(n *model.Notice) string {
	words := fmt.Sprintf("notice %d: the database went back to an earlier state, noticed at %s", n.ID,
		shortTime(n.At.Time))
	if n.Heard > 0 {
		words += fmt.Sprintf("; executors had heard of session %d, this server took %d", n.Heard, n.Session)
	}
	if all := n.Running + n.Ended; all > 0 {
		words += fmt.Sprintf("; executors had %s that it does not have (running, ended now: %d; already "+
			"ended: %d)",
			countWord(all, "attempt"), n.Running, n.Ended)
	}
	return words + ". See docs/operations.md; an administrator dismisses this on any page."
}
