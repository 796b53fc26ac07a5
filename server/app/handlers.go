package app

import (
	"github.com/rprp/hivego/executor/http"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/shell"
	"github.com/rprp/hivego/executor/sql"
	"github.com/rprp/hivego/server/hive"
)

// Handlers returns the handlers of the stock executor, for checks without a server.
func Handlers() []hive.Handler {
	infos := []sdk.Info{shell.New(shell.Config{}).Info(), sql.New(sql.Config{}).Info(), http.New(http.Config{}).Info()}
	all := make([]hive.Handler, 0, len(infos))
	for _, i := range infos {
		all = append(all, hive.Handler{
			Name: i.Name, Title: i.Title, Description: i.Description, Schema: i.ParamsSchema,
		})
	}
	return all
}
