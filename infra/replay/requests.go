package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// asked is one entry of a group's requests.yaml.
type asked struct {
	// Name is the name of the event and of its file.
	Name string `yaml:"name"`
	// As is the name of the world's access token that the request is sent with, without ".access". If it is empty, no
	// token is sent.
	As string `yaml:"as"`
	// Request is the method and the path.
	Request string            `yaml:"request"`
	Headers map[string]string `yaml:"headers"`
	// Body is the body of the request, and Type its media type; without a Type it is JSON.
	Body string `yaml:"body"`
	Type string `yaml:"type"`
	// Host is the host of the request; without it, it is the gateway's own host.
	Host string `yaml:"host"`
	// From is the address that the request comes from; without it, it is one that nobody in the world has used.
	From string `yaml:"from"`
	// Event is an event that is written as it stands, for functions that no client's request reaches.
	Event any `yaml:"event"`
}

const requestsFile = "requests.yaml"

var plainName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// requestsOf reads a group's requests.yaml.
func requestsOf(root, group string) ([]asked, error) {
	path := filepath.Join(root, folder, group, requestsFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	var list []asked
	if err := decoder.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	seen := map[string]bool{}
	for i, a := range list {
		switch {
		case !plainName.MatchString(a.Name):
			err = fmt.Errorf("%q is no name", a.Name)
		case seen[a.Name]:
			err = fmt.Errorf("there are two %s", a.Name)
		case (a.Request == "") == (a.Event == nil):
			err = fmt.Errorf("%s is either a request or an event", a.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", path, i+1, err)
		}
		seen[a.Name] = true
	}
	return list, nil
}

// payload returns the event of an entry that has a field Event.
func (a asked) payload() ([]byte, error) {
	text, err := json.Marshal(a.Event)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return text, nil
}
