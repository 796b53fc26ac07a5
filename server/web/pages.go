package web

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/rprp/hivego/assets"
)

// Files in this folder have hashes in their names, so their content never changes.
const hashed = "/assets/"

// page is one file, with its encodings.
type page struct {
	kind  string // Content-Type
	cache string
	forms []form // best first; the last one is the plain file
}

// form is a file in one Content-Encoding.
type form struct {
	coding string // "" for none
	tag    string // ETag
	body   []byte
}

// site holds all pages.
type site struct {
	pages  pages
	routes routes
}

// pages maps paths to files.
type pages map[string]*page

// read loads all files into memory once; they are in the binary anyway.
func read(files fs.FS) pages {
	all := pages{}
	_ = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(e.Name(), ".") && name != "." { // notes of the build
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() || strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") {
			return nil
		}
		if p := readPage(files, name); p != nil {
			all["/"+name] = p
		}
		return nil
	})
	return all
}

// readPage reads a file and its compressed forms.
func readPage(files fs.FS, name string) *page {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	p := &page{kind: mime.TypeByExtension(path.Ext(name)), cache: "no-cache"}
	if p.kind == "" {
		p.kind = http.DetectContentType(body)
	}
	if strings.HasPrefix("/"+name, hashed) {
		p.cache = "public, max-age=31536000, immutable"
	}
	for _, c := range []struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if small, err := fs.ReadFile(files, name+c.suffix); err == nil && len(small) < len(body) {
			p.forms = append(p.forms, newForm(c.coding, small))
		}
	}
	p.forms = append(p.forms, newForm("", body))
	return p
}

func newForm(coding string, body []byte) form {
	sum := sha256.Sum256(body)
	return form{coding: coding, body: body, tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`}
}

// find returns the page for a path: a file, or the first page for an address of the front end. An unknown address gets
// the first page with the status 404, because the front end shows the error. nil means that there is no page.
func (s *site) find(name string) (p *page, status int) {
	if p, ok := s.pages[name]; ok {
		return p, http.StatusOK
	}
	switch first := s.pages["/"+assets.Index]; {
	case s.routes.has(name):
		return first, http.StatusOK
	case reserved(name):
		return nil, http.StatusNotFound
	default:
		return first, http.StatusNotFound
	}
}

// form returns the smallest form that an Accept-Encoding header allows.
func (p *page) form(accept string) form {
	for _, f := range p.forms {
		if f.coding == "" || accepts(accept, f.coding) {
			return f
		}
	}
	return p.forms[len(p.forms)-1]
}

// accepts parses an Accept-Encoding header (RFC 9110, 12.5.3). A star does not allow every coding here.
func accepts(header, coding string) bool {
	for one := range strings.SplitSeq(header, ",") {
		name, options, _ := strings.Cut(one, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight, found := strings.CutPrefix(strings.ToLower(strings.NewReplacer(" ", "", "\t", "").Replace(options)),
			"q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !found || err == nil && q > 0
	}
	return false
}
