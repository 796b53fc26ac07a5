// Package connection knows the types of connections, and checks the documents of connections. It is pure.
package connection

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

// The codes of the faults of connections.
const (
	codeMissing = "missing"
	codeUnknown = "unknown_value"
	codeRange   = "out_of_range"
	codeExtra   = "extra_field"
	codeText    = "bad_text"
	codeSecret  = "bad_secret"
)

// Types lists the types of connections. A type needs a handler that can use it.
func Types() []hive.ConnectionType {
	return []hive.ConnectionType{
		{Name: "postgres", Title: "PostgreSQL", Port: 5432, Handler: "sql", Options: []hive.ConnectionOption{
			{Name: "sslmode", Values: []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}},
			{Name: "sslrootcert"},
			{Name: "connect_timeout"},
			{Name: "application_name"},
			{Name: "search_path"},
			{Name: "statement_timeout"},
			{Name: "timezone"},
		}},
		{Name: "mysql", Title: "MySQL, MariaDB", Port: 3306, Handler: "sql", Options: []hive.ConnectionOption{
			{Name: "tls", Values: []string{"false", "true", "preferred", "skip-verify"}}, {Name: "timezone"},
		}},
		{Name: "sqlite", Title: "SQLite", Handler: "sql"},
	}
}

// TypeOf finds a type by its name.
func TypeOf(name string) (hive.ConnectionType, bool) {
	all := Types()
	i := slices.IndexFunc(all, func(t hive.ConnectionType) bool { return t.Name == name })
	if i < 0 {
		return hive.ConnectionType{}, false
	}
	return all[i], true
}

// SecretOf returns the name of the secret with the password of a connection; "" if it has none.
func SecretOf(def *hive.ConnectionDefinition) string { return expression.OnlySecret(def.Password) }

type checker struct{ faults []hive.Fault }

func (c *checker) add(path, code string, reason hive.FaultReason, message, remedy string, params ...any) {
	c.faults = append(c.faults, hive.NewFault(code, reason, message, remedy, params...).At(path))
}

// Check lists the faults of a connection, apart from its head. Secrets are the secrets of tasks by name; nil: they are
// not checked.
func Check(def *hive.ConnectionDefinition, secrets map[string]hive.Secret) []hive.Fault {
	c := &checker{}
	kind, ok := TypeOf(def.Type)
	if !ok {
		all := Types()
		names := make([]string, 0, len(all))
		for _, t := range all {
			names = append(names, t.Name)
		}
		c.add("type", codeUnknown, hive.FaultConnectionType, `"‹value›" is not a type of connections`,
			"write one of ‹known›", "value", hive.Clean(def.Type, 80), "known", strings.Join(names, ", "))
		return c.faults
	}
	c.place(def, &kind)
	c.options(def, &kind)
	c.password(def, secrets)
	for i, group := range def.Groups {
		path := fmt.Sprintf("groups[%d]", i)
		switch {
		case group == "" || !hive.IsLine(group, maxGroup):
			c.text(path, group)
		case slices.Index(def.Groups, group) < i:
			c.add(path, codeExtra, hive.FaultListedTwice, "‹value› is listed twice", "remove one of them", "value",
				group)
		}
	}
	if len(def.Groups) > hive.MaxSecretGroups {
		c.add("groups", codeRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›",
			"name fewer groups", "value", len(def.Groups), "low", 1, "high", hive.MaxSecretGroups)
	}
	return c.faults
}

// Limits of texts in bytes.
const (
	maxGroup = 63 // as names of groups of executors
	maxText  = 500
)

// text reports a text that cannot be part of a connection.
func (c *checker) text(path, value string) {
	c.add(path, codeText, hive.FaultConnectionText, `"‹value›" cannot stand here`,
		"write one line without control characters, of at most ‹most› bytes", "value", hive.Clean(value, 80), "most",
		maxText)
}

// line checks that a text is one line of a decent length.
func (c *checker) line(path, value string) {
	if !hive.IsLine(value, maxText) {
		c.text(path, value)
	}
}

// place checks where the database is.
func (c *checker) place(def *hive.ConnectionDefinition, kind *hive.ConnectionType) {
	fields := []struct{ name, value string }{
		{"host", def.Host}, {"database", def.Database}, {"user", def.User},
	}
	for _, f := range fields {
		c.line(f.name, f.value)
	}
	if kind.Port == 0 { // a file
		for name, given := range map[string]bool{
			"host": def.Host != "", "port": def.Port != 0, "user": def.User != "", "password": def.Password != "",
		} {
			if given {
				c.add(name, codeExtra, hive.FaultConnectionExtra, "a connection of type ‹type› has no ‹value›",
					"remove ‹value›, or change the type", "type", kind.Name, "value", name)
			}
		}
		if def.Database == "" || strings.ContainsAny(def.Database, "?#") || def.Database == ":memory:" {
			c.missing("database", "name a file, such as nightly.db")
		}
		return
	}
	if strings.ContainsAny(def.Host, "/@?# ") {
		c.text("host", def.Host)
	}
	if strings.ContainsAny(def.Database, "/?#") {
		c.text("database", def.Database)
	}
	if def.Host == "" {
		c.missing("host", "name the machine of the database")
	}
	if def.Database == "" {
		c.missing("database", "name the database")
	}
	if def.Password != "" && def.User == "" {
		c.missing("user", "name the user whose password it is")
	}
	if def.Port < 0 || def.Port > 65535 {
		c.add("port", codeRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›",
			"write the port of the database, or leave it out", "value", def.Port, "low", 1, "high", 65535)
	}
}

func (c *checker) missing(path, remedy string) {
	c.add(path, codeMissing, hive.FaultConnectionMissing, "‹value› is missing", remedy, "value", path)
}

// options checks that the type has the options. What a driver would read besides could open files of the executor.
func (c *checker) options(def *hive.ConnectionDefinition, kind *hive.ConnectionType) {
	for _, name := range slices.Sorted(maps.Keys(def.Options)) {
		value := def.Options[name]
		i := slices.IndexFunc(kind.Options, func(o hive.ConnectionOption) bool { return o.Name == name })
		if i < 0 {
			known := make([]string, 0, len(kind.Options))
			for _, o := range kind.Options {
				known = append(known, o.Name)
			}
			c.add("options."+name, codeUnknown, hive.FaultConnectionOption,
				"connections of type ‹type› have no option ‹value›", "they have: ‹known›", "type", kind.Name, "value",
				hive.Clean(name, 80), "known", strings.Join(known, ", "))
			continue
		}
		if values := kind.Options[i].Values; values != nil && !slices.Contains(values, value) {
			c.add("options."+name, codeUnknown, hive.FaultConnectionValue, `"‹value›" is no value of ‹name›`,
				"write one of ‹known›", "value", hive.Clean(value, 80), "name", name, "known",
				strings.Join(values, ", "))
			continue
		}
		c.line("options."+name, value)
	}
}

// password checks that a password is the name of a secret that all groups of the connection may have.
func (c *checker) password(def *hive.ConnectionDefinition, secrets map[string]hive.Secret) {
	if def.Password == "" {
		return
	}
	name := SecretOf(def)
	if name == "" { // the text could be a password, so the fault does not show it
		c.add("password", codeSecret, hive.FaultConnectionPassword, "a password has no place in a document",
			"set it by hivego secrets set NAME --stdin, and write ${{ secrets.NAME }} here")
		return
	}
	if secrets == nil {
		return
	}
	secret, found := secrets[name]
	if !found {
		c.add("password", codeSecret, hive.FaultUnknownSecret, "there is no secret ‹value›",
			"an administrator sets it: hivego secrets set ‹value› --stdin", "value", name)
		return
	}
	for _, group := range def.EffectiveGroups() {
		if !secret.Allows(group) {
			c.add("password", codeSecret, hive.FaultSecretGroup,
				"executors of group ‹group› may not have the secret ‹value›",
				"name another group, or let an administrator allow it: hivego secrets allow ‹value› ‹group›",
				"value", name, "group", hive.Clean(group, 80))
		}
	}
}
