package main

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
)

// document is the part of CycloneDX that is written here: https://cyclonedx.org/docs/1.6/json/
type document struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type     string     `json:"type"`
	Ref      string     `json:"bom-ref"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Licenses []licence  `json:"licenses,omitempty"`
	Hashes   []hash     `json:"hashes,omitempty"`
	PURL     string     `json:"purl"`
	More     []property `json:"properties,omitempty"`
}

type licence struct {
	Expression string `json:"expression"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"` // in hexadecimal
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// npmPackage is an entry of package-lock.json.
type npmPackage struct {
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
	License   string `json:"license"`
	Dev       bool   `json:"dev"`      // only for building and testing
	Optional  bool   `json:"optional"` // packages with machine code for one platform
	DevOr     bool   `json:"devOptional"`
}

// bill lists what a release consists of.
func bill(info *debug.BuildInfo, lock []byte, version string) (*document, error) {
	web, err := npmComponents(lock)
	if err != nil {
		return nil, err
	}
	parts := slices.Concat(goComponents(info), web)
	slices.SortFunc(parts, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	self := component{
		Type: "application", Name: "hivego", Version: version, Licenses: []licence{{"Apache-2.0"}},
		PURL: purl("golang", info.Main.Path, version), More: settings(info),
	}
	self.Ref = self.PURL
	refs := make([]string, len(parts))
	for i := range parts {
		refs[i] = parts[i].Ref
	}
	return &document{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{self}, Components: parts, Dependencies: []dependency{{self.Ref, refs}},
	}, nil
}

// settings lists how the program was built.
func settings(info *debug.BuildInfo) []property {
	more := []property{{"hivego:build:go", info.GoVersion}}
	for _, s := range info.Settings {
		if slices.Contains([]string{"CGO_ENABLED", "GOARCH", "GOOS", "-trimpath"}, s.Key) {
			more = append(more, property{"hivego:build:" + strings.TrimPrefix(s.Key, "-"), s.Value})
		}
	}
	return more
}

// goComponents lists Go's standard library and the modules that are linked into the program.
func goComponents(info *debug.BuildInfo) []component {
	release := strings.TrimPrefix(info.GoVersion, "go")
	std := component{
		Type: "library", Name: "std", Version: release, Licenses: []licence{{"BSD-3-Clause"}},
		PURL: purl("golang", "std", release),
	}
	std.Ref = std.PURL
	parts := []component{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: purl("golang", m.Path, m.Version)}
		c.Ref = c.PURL
		if sum := m.Sum; sum != "" { // of the module's tree, as in go.sum; CycloneDX has no name for it
			c.More = []property{{"hivego:go.sum", sum}}
		}
		parts = append(parts, c)
	}
	return parts
}

// npmComponents lists the packages that the web interface imports, and what they import. Packages for building and
// testing are not in it.
func npmComponents(lock []byte) ([]component, error) {
	var file struct {
		Packages map[string]npmPackage `json:"packages"`
	}
	if err := json.Unmarshal(lock, &file); err != nil {
		return nil, fmt.Errorf("read package-lock.json: %w", err)
	}
	if len(file.Packages) == 0 {
		return nil, errors.New("package-lock.json lists no packages; it needs lockfileVersion 2 or 3")
	}
	found := map[string]component{}
	for place, p := range file.Packages {
		i := strings.LastIndex(place, "node_modules/")
		if i < 0 || p.Dev || p.DevOr || p.Optional {
			continue
		}
		name := place[i+len("node_modules/"):]
		c := component{Type: "library", Name: name, Version: p.Version, PURL: purl("npm", name, p.Version)}
		c.Ref = c.PURL
		if p.License != "" {
			c.Licenses = []licence{{p.License}}
		}
		if sum, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return nil, fmt.Errorf("package-lock.json: the integrity of %s: %w", place, err)
			}
			c.Hashes = []hash{{"SHA-512", hex.EncodeToString(raw)}}
		}
		found[c.Ref] = c
	}
	return slices.Collect(maps.Values(found)), nil
}

// purl returns a package URL: https://github.com/package-url/purl-spec
func purl(kind, name, version string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), "@", "%40")
	}
	return "pkg:" + kind + "/" + strings.Join(segments, "/") + "@" + strings.ReplaceAll(url.PathEscape(version), "+", "%2B")
}
