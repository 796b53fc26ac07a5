// Command sbom writes the software bill of materials of a release to its standard output, as CycloneDX 1.6 in JSON: the
// Go modules that are linked into a binary, and the npm packages that are built into its web interface. It contains no
// time and no random number, so that the same release has the same one.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	binary := flag.String("binary", "", "the program")
	lock := flag.String("lock", "package-lock.json", "the lock file of the web interface")
	version := flag.String("version", "dev", "the version of the release")
	flag.Parse()
	if err := write(*binary, *lock, *version); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(binary, lock, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read the modules of the program: %w", err)
	}
	raw, err := os.ReadFile(lock)
	if err != nil {
		return fmt.Errorf("read the packages of the web interface: %w", err)
	}
	doc, err := bill(info, raw, version)
	if err != nil {
		return err
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}
