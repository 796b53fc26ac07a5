package hive

// AlertConversion is a rule or a channel in both forms, or what keeps it from having them.
type AlertConversion struct {
	Conversion
	Secrets []ChannelSecretView // that the channel needs or may have; Set only says what a stored one of its name has
}

// ChannelTrial asks for a test message to a channel that need not be stored.
type ChannelTrial struct {
	Document []byte            // of the channel, as YAML or JSON
	Secrets  map[string]string // by name; those left out or empty are those of the stored channel of the same name
	Language string            // of the message; that of the channel if empty
	By       string
}

// PreparedTrial is a ChannelTrial whose document has no faults.
type PreparedTrial struct {
	Channel  *ChannelDefinition
	Stored   int64             // the stored channel with the secrets that are not given; 0 for none
	Secrets  map[string]string // given ones; none is empty
	Language string
	By       string
}
