package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// origin parses the URL that people open, such as https://hivego.example, and normalizes it as browsers do.
func origin(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", errors.New("write an address such as https://hivego.example")
	case u.User != nil, u.RawQuery != "" || u.ForceQuery, u.Fragment != "", u.Path != "" && u.Path != "/":
		return "", errors.New("write the address alone, as in https://hivego.example: HiveGo lives at the root of " +
			"its name")
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	for _, c := range host {
		if c > '~' {
			return "", fmt.Errorf("write the name %s as browsers send it, in ASCII (xn--…)", host)
		}
	}
	if port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		port = ""
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return u.Scheme + "://" + host, nil
}
