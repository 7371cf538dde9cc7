package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tenantry/tenantry/infra/local/corpus"
	"github.com/tenantry/tenantry/shared/web"
)

// taken is an event with the answer that it got.
type taken struct {
	entry corpus.Entry
	corpus.Event
	got reply
}

// record writes the expected answers of the named groups, or of all groups if none is named: into their lists, and for entries that
// keep an event file beside that.
func record(ctx context.Context, root string, groups []string, out io.Writer) error {
	var err error
	if len(groups) == 0 {
		if groups, err = corpus.Groups(root); err != nil {
			return err
		}
	}
	s, err := openStage(ctx, out)
	if err != nil {
		return err
	}
	defer s.Close()
	all := map[string][]taken{}
	for i, group := range groups {
		group = filepath.Base(group) // so that events/documents may be written for documents
		groups[i] = group
		if all[group], err = s.takeGroup(ctx, group); err != nil {
			return fmt.Errorf("%s: %w", group, err)
		}
		fmt.Fprintf(out, "%s: %d events\n", group, len(all[group]))
	}
	// Ask again in another world: values that differ between the two were generated.
	if err := s.Renew(ctx); err != nil {
		return err
	}
	for _, group := range groups {
		for i, e := range all[group] {
			again, err := s.answer(ctx, e.Event)
			if err != nil {
				return fmt.Errorf("%s: %w", e.ID(), err)
			}
			all[group][i].Want = generalise(map[string]any(e.got), map[string]any(again))
		}
		if err := write(root, group, all[group]); err != nil {
			return fmt.Errorf("%s: %w", group, err)
		}
	}
	return nil
}

// takeGroup makes a group's events, each with the answer that it gets in this world.
func (s *stage) takeGroup(ctx context.Context, group string) ([]taken, error) {
	entries, err := corpus.Read(s.Root, group)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx, group); err != nil {
		return nil, err
	}
	m, err := s.maker(ctx, group)
	if err != nil {
		return nil, err
	}
	var list []taken
	for _, entry := range entries {
		e := taken{entry: entry, Event: corpus.Event{Group: group, Name: entry.Name}}
		if e.Payload, err = s.make(ctx, m, entry); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		if _, err := s.Reset(ctx); err != nil {
			return nil, err
		}
		if e.got, err = s.answer(ctx, e.Event); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// write keeps a group's events and answers: files of those that AWS's tools have something to show of, and lists of all others.
func write(root, group string, all []taken) error {
	ops := tables()[group]
	var kept []string
	inLists, shows := map[string]corpus.Answer{}, map[string]bool{}
	for _, e := range all {
		of, err := showing(ops, e.Event)
		if err != nil {
			return err
		}
		if !of.filed(ops, shows) {
			whole, ok := e.Want.(map[string]any)
			if !ok {
				return errors.New(e.Name + " had no answer")
			}
			inLists[e.Name] = corpus.AnswerTo(e.Payload, whole)
			continue
		}
		kept = append(kept, e.entry.File)
		if err := corpus.WriteFiles(e.entry.File, e.Payload, []byte(pretty(e.Want))); err != nil {
			return err
		}
	}
	if err := corpus.WriteAnswers(root, group, inLists); err != nil {
		return err
	}
	return corpus.Sweep(root, group, kept)
}

// filed tells whether an event keeps files: each does in groups that have no operations, and else the first success of each operation.
// Shows has the operations of which that was seen.
func (s shown) filed(ops []web.Operation, shows map[string]bool) bool {
	switch {
	case ops == nil:
		return true
	case s.op == nil || !s.succeeds(*s.op) || shows[s.op.ID]:
		return false
	}
	shows[s.op.ID] = true
	return true
}

// answer returns the answer to an event, in a world that nothing has changed.
func (s *stage) answer(ctx context.Context, e corpus.Event) (reply, error) {
	got, err := s.send(ctx, e)
	if err != nil {
		return nil, err
	}
	if s.works {
		if err := s.carryOut(ctx, e.ID()); err != nil {
			return nil, err
		}
	}
	_, err = s.Reset(ctx)
	return got, err
}

// maker makes a group's events. They say what the authorizer answers.
func (s *stage) maker(ctx context.Context, group string) (*corpus.Maker, error) {
	const authorizer = "authorizer"
	if err := s.start(ctx, authorizer); err != nil {
		return nil, err
	}
	return corpus.NewMaker(s.Template, s.World, s.functions[authorizer], group), nil
}

// make makes the event of an entry. It fails if the authorizer's role does not allow what the authorizer did.
func (s *stage) make(ctx context.Context, m *corpus.Maker, entry corpus.Entry) ([]byte, error) {
	s.judge.Event("the authorizer of " + entry.ID())
	payload, err := m.Event(ctx, entry)
	if denied := s.denied(); denied != nil {
		return nil, denied
	}
	return payload, err
}

// event returns the event of an entry, with what is expected of it. It is made unless the entry keeps it.
func (s *stage) event(ctx context.Context, entry corpus.Entry) (corpus.Event, error) {
	var payload []byte
	if !entry.Filed {
		m, err := s.maker(ctx, entry.Group)
		if err != nil {
			return corpus.Event{}, err
		}
		if payload, err = s.make(ctx, m, entry); err != nil {
			return corpus.Event{}, err
		}
	}
	return entry.Expected(payload)
}
