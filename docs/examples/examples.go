// Package examples holds the schedules that a first start loads, with the open data that they work on. README.md
// names the sources and licences.
package examples

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed warehouse.yaml repair.yaml data
var files embed.FS

// File is one definition.
type File struct {
	Name     string // of the file
	Schedule string // that it defines
	Document string // YAML
}

// example is a definition, and the data that its tasks find in the folder data.
type example struct {
	file, schedule string
	data           []string
}

func all() []example {
	return []example{
		{
			file: "warehouse.yaml", schedule: "warehouse",
			data: []string{"flights-5k.json", "airports.csv", "seattle-weather.csv"},
		},
		{file: "repair.yaml", schedule: "weather-report", data: []string{"seattle-weather.csv"}},
	}
}

// Definitions returns the examples' definitions.
func Definitions() []File {
	examples := all()
	out := make([]File, 0, len(examples))
	for _, e := range examples {
		document, err := files.ReadFile(e.file)
		if err != nil {
			panic(err) // it is embedded
		}
		out = append(out, File{Name: e.file, Schedule: e.schedule, Document: string(document)})
	}
	return out
}

// Install puts the examples' data into an executor's workspace, which holds a folder for each schedule. A file that is
// there and whole stays as it is; others are replaced at once, so that a task never reads half of one.
func Install(workspace string) error {
	for _, e := range all() {
		for _, name := range e.data {
			data, err := files.ReadFile("data/" + name)
			if err != nil {
				return fmt.Errorf("example %s: %w", e.schedule, err)
			}
			if err := put(filepath.Join(workspace, e.schedule, "data"), name, data); err != nil {
				return fmt.Errorf("data of example %s: %w", e.schedule, err)
			}
		}
	}
	return nil
}

// put writes a file if it is not there with the same content.
func put(folder, name string, data []byte) error {
	path := filepath.Join(folder, name)
	there, err := os.ReadFile(path)
	if err == nil && bytes.Equal(there, data) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "."+name+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
