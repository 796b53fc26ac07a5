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
	"sync"

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
	coding string        // "" for none
	tag    func() string // ETag, computed at the first request
	body   func() []byte // a copy of the file
}

// site holds all pages.
type site struct {
	pages  pages
	routes routes
}

// pages maps paths to files.
type pages map[string]*page

// read lists all files. It reads none of them: they are in the binary, and most are never asked for.
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
	plain, err := fs.Stat(files, name)
	if err != nil {
		return nil
	}
	p := &page{kind: kindOf(files, name), cache: "no-cache"}
	if strings.HasPrefix("/"+name, hashed) {
		p.cache = "public, max-age=31536000, immutable"
	}
	for _, c := range []struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if small, err := fs.Stat(files, name+c.suffix); err == nil && small.Size() < plain.Size() {
			p.forms = append(p.forms, newForm(files, c.coding, name+c.suffix))
		}
	}
	p.forms = append(p.forms, newForm(files, "", name))
	return p
}

func newForm(files fs.FS, coding, name string) form {
	body := func() []byte {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			panic("web: " + err.Error()) // it was there at the start, and embedded files stay
		}
		return content
	}
	return form{coding: coding, body: body, tag: sync.OnceValue(func() string {
		sum := sha256.Sum256(body())
		return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	})}
}

// kindOf returns the Content-Type of a file. It knows the kinds of the build by itself: package mime would read and
// keep the tables of the system, which may differ.
func kindOf(files fs.FS, name string) string {
	switch extension := path.Ext(name); extension {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	default:
		if kind := mime.TypeByExtension(extension); kind != "" {
			return kind
		}
		content, _ := fs.ReadFile(files, name)
		return http.DetectContentType(content)
	}
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
