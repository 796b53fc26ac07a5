package manage

import (
	"context"
	"maps"
	"slices"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// Convert writes a rule or a channel as YAML and as JSON, even if it has faults, and saves nothing.
func (s *Service) Convert(ctx context.Context, kind string, text []byte) (hive.AlertConversion, error) {
	var out hive.AlertConversion
	options, err := s.options(ctx, kind)
	if err != nil {
		return out, err
	}
	c, faults := document.ConvertAlert(text, kind, options)
	out.Faults = faults
	if c == nil {
		return out, nil
	}
	out.Valid = !hive.Refused(faults)
	out.Canonical, out.Hash, out.Definition = string(c.Canonical), c.Hash, c.JSON
	if c.Alert != nil {
		out.Name = c.Alert.Name
		return out, nil
	}
	out.Name = c.Channel.Name
	id, err := s.channelID(ctx, out.Name)
	if err != nil {
		return out, err
	}
	out.Secrets, err = s.secrets(ctx, id, c.Channel)
	return out, err
}

// channelID returns the id of a stored channel; 0 if there is none.
func (s *Service) channelID(ctx context.Context, name string) (int64, error) {
	row, err := s.config.Store.AlertDocument(ctx, hive.KindChannel, name)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return 0, nil
	}
	return row.ID, err
}

// Try sends a test message to a channel that need not be stored. A failure is part of the result. CodeInvalid has all
// faults of the document, or names the secret that cannot be one.
func (s *Service) Try(ctx context.Context, r hive.ChannelTrial) (hive.ChannelTest, error) {
	doc, faults := document.ParseAlert(r.Document, hive.KindChannel, document.Options{})
	if doc == nil {
		return hive.ChannelTest{}, &hive.Error{
			Code: hive.CodeInvalid, Words: "the document has faults; nothing was sent", Reason: hive.ErrorUnread,
			Faults: faults,
		}
	}
	id, err := s.channelID(ctx, doc.Name())
	if err != nil {
		return hive.ChannelTest{}, err
	}
	given := maps.Clone(r.Secrets)
	maps.DeleteFunc(given, func(_, value string) bool { return value == "" })
	if err := checkSecrets(doc.Name(), slices.Concat(alert.Secrets(doc.Channel)), given); err != nil {
		return hive.ChannelTest{}, err
	}
	return s.config.Try(ctx, hive.PreparedTrial{
		Channel: doc.Channel, Stored: id, Secrets: given, Language: r.Language, By: r.By,
	})
}
