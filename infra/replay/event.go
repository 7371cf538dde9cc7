package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/shared/web/webtest/match"
)

const (
	folder = "events"
	suffix = ".json"
	answer = ".answer.json"
)

// event is one recorded event, with the expected answer if one was recorded.
type event struct {
	path    string
	payload []byte
	want    any
}

// group returns the group that the event belongs to, which is the name of its folder.
func (e event) group() string { return filepath.Base(filepath.Dir(e.path)) }

// name returns the name of the event: documents/list.
func (e event) name() string {
	return e.group() + "/" + strings.TrimSuffix(filepath.Base(e.path), suffix)
}

func answerOf(path string) string { return strings.TrimSuffix(path, suffix) + answer }

func readEvent(path string) (event, error) {
	if !strings.HasSuffix(path, suffix) || strings.HasSuffix(path, answer) {
		return event{}, fmt.Errorf("%s is not an event", path)
	}
	payload, err := os.ReadFile(path)
	if err != nil {
		return event{}, err
	}
	e := event{path: path, payload: payload}
	expected, err := os.ReadFile(answerOf(path))
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return event{}, err
	}
	if e.want, err = match.Parse(expected); err != nil {
		return event{}, fmt.Errorf("%s: %w", answerOf(path), err)
	}
	return e, nil
}

// eventsOf lists the events of a group, by path.
func eventsOf(root, group string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(root, folder, group, "*"+suffix))
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, answer) }), err
}

// recordedGroups returns the names of the folders that hold events.
func recordedGroups(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
