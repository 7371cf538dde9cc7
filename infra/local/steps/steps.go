// Package steps runs lists of requests that are told in YAML, one after the other: each says what is asked, what has to be answered, and
// what later ones need of the answer. The walk of infra/smoke, the world in which events are recorded and the demo company are such lists.
// They have the words of the lists in events/: as, request, headers, type, body, status, answered, answer.
//
//	# A list without answers takes every success. Of an answer, only what is named is compared, and only the first records of a list;
//	# [] is an empty one.
//	- do: a client is created                    # a title, for those who read along
//	  request: POST /v1/crm/clients/
//	  body: {name: "Smoke ${unique}"}            # sent as JSON; a text is sent as it stands
//	  status: 201                                # or a list of some
//	  answered: {ETag: <any>}                    # headers; null is one that isn't there
//	  answer: {name: "Smoke ${unique}"}          # with the placeholders of events/; '' is no body
//	  keep: {client: id, etag: header ETag, avatar: 'avatar?'}  # for ${client}; one with a question mark may be missing
//	- {do: and found, request: 'GET /v1/crm/clients/?name=Smoke', status: 200, answer: {results: [{id: '${client}'}]}, within: 10s}
//	- {do: and deleted, request: 'DELETE /v1/crm/clients/${client}/', status: 204, answer: ''}
//
// A text that is one ${name} stands for the value as it was kept, a number or a record, and ${name.path} for a part of it, or null; within
// a longer text they stand for the value's text, as does ${text name}. ${now}, ${now-2h}, ${now+3d 09:00} are moments and ${date-1d} is a
// day, in the zone of the value now.
//
// A step that names what was not kept, because the step before it failed or was left out, is left out, and so is one whose request names
// a part that isn't there. It is left out too unless there is what its if names, or if there is what its unless names. With each, the
// steps below are run for each value of a list, which is ${each}.
//
// Methods that are not in capitals are the program's own: what no request makes, such as a code out of a message.
//
// How requests are sent and who may send them never goes in here.
package steps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"
)

// Step is one request of a list, or steps that are run for each of some values.
type Step struct {
	Do      string `yaml:"do"`
	If      string `yaml:"if"`
	Unless  string `yaml:"unless"`
	As      string `yaml:"as"`
	Request string `yaml:"request"`
	Headers tree   `yaml:"headers"`
	Type    string `yaml:"type"`
	Body    tree   `yaml:"body"`
	// At is a time at which it is asked, where that is not now.
	At string `yaml:"at"`

	Status   statuses          `yaml:"status"`
	Answered tree              `yaml:"answered"`
	Answer   tree              `yaml:"answer"`
	Within   time.Duration     `yaml:"within"`
	Keep     map[string]string `yaml:"keep"`

	Each  tree   `yaml:"each"`
	Steps []Step `yaml:"steps"`
}

// tree is any value; its numbers stay as they are written.
type tree struct{ any }

// UnmarshalYAML reads a value.
func (t *tree) UnmarshalYAML(n *yaml.Node) (err error) {
	t.any, err = Tree(n)
	return err
}

// statuses are those that will do; none: those of success.
type statuses []int

// UnmarshalYAML reads one status or a list.
func (s *statuses) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]int)(s))
	}
	*s = make(statuses, 1)
	return n.Decode(&(*s)[0])
}

// Parse reads a list of steps.
func Parse(text []byte) (list []Step, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return list, check(list)
}

// check refuses steps that mean nothing, and expectations that every answer meets.
func check(list []Step) error {
	for _, s := range list {
		group, answer := len(s.Steps) > 0, fmt.Sprint(s.Answer.any)
		_, listed := s.Each.any.([]any)
		switch {
		case group == (s.Request != ""), group != listed, listed != (s.Each.any != nil):
			return fmt.Errorf("%s%s: a step is a request, or each of a list with steps", s.Do, s.Request)
		case answer == "<any>", answer == "map[]", answer == "[]":
			return fmt.Errorf("%s %s: every answer is as expected", s.Do, s.Request)
		}
		if err := check(s.Steps); err != nil {
			return err
		}
	}
	return nil
}
