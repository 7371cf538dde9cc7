package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// told are the keys of an entry that recording writes. All others are written by people, and stay as they stand.
var told = []string{"status", "answered", "answer"}

// WriteFiles writes an event file and the answer beside it.
func WriteFiles(path string, event, answer []byte) error {
	for file, content := range map[string][]byte{path: event, AnswerFile(path): answer} {
		text, err := Indented(content)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // events are the project's files, for everybody to read
			return err
		}
	}
	return nil
}

// WriteAnswers writes answers into the lists of a group, by the names of the entries. Entries without one have none afterwards.
func WriteAnswers(root, group string, answers map[string]Answer) error {
	paths, err := lists(root, group)
	if err != nil {
		return err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err := withAnswers(string(content), answers)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // as with events
			return err
		}
	}
	return nil
}

// withAnswers returns a list with answers. What stands between entries stays, and so do the lines of an entry that its answer is not
// in. An entry in braces is written in lines of its own before it gets an answer.
func withAnswers(list string, answers map[string]Answer) (string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(list), &document); err != nil || len(document.Content) == 0 {
		return list, err
	}
	lines := strings.SplitAfter(strings.TrimSuffix(list, "\n")+"\n", "\n")
	end := len(lines)
	for _, entry := range slices.Backward(document.Content[0].Content) {
		first := entry.Line - 1
		after := end
		for after > first+1 && between(lines[after-1]) {
			after--
		}
		text, err := withAnswer(entry, lines[first:after], answers)
		if err != nil {
			return "", err
		}
		lines = slices.Replace(lines, first, after, text)
		end = first
	}
	return strings.Join(lines, ""), nil
}

// between tells whether a line stands between entries.
func between(line string) bool { return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") }

// withAnswer returns the text of one entry, which stands in some lines.
func withAnswer(entry *yaml.Node, lines []string, answers map[string]Answer) (string, error) {
	a, wanted := answers[field(entry, "name")]
	if entry.Style&yaml.FlowStyle != 0 {
		if !wanted && !slices.ContainsFunc(told, func(key string) bool { return field(entry, key) != "" }) {
			return strings.Join(lines, ""), nil
		}
		text, err := inBlock(entry)
		if err != nil {
			return "", err
		}
		var again yaml.Node
		if err := yaml.Unmarshal([]byte(text), &again); err != nil {
			return "", err
		}
		entry, lines = again.Content[0].Content[0], strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		lines[len(lines)-1] += "\n"
	}
	if slices.Contains(told, entry.Content[0].Value) {
		return "", fmt.Errorf("line %d: an entry begins with its name", entry.Line)
	}
	var b strings.Builder
	for i := 0; i < len(entry.Content); i += 2 {
		from, to := entry.Content[i].Line-entry.Line, len(lines)
		if i+2 < len(entry.Content) {
			to = entry.Content[i+2].Line - entry.Line
		}
		if !slices.Contains(told, entry.Content[i].Value) {
			b.WriteString(strings.Join(lines[from:to], ""))
		}
	}
	if wanted {
		b.WriteString(a.text())
	}
	return b.String(), nil
}

// inBlock writes an entry with a line for each field. Comments before and after it stay where they are.
func inBlock(entry *yaml.Node) (string, error) {
	entry.Style, entry.HeadComment, entry.FootComment = 0, "", ""
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode([]*yaml.Node{entry})
	return b.String(), err
}

// field is the text of an entry's field, if it has one.
func field(entry *yaml.Node, key string) string {
	for i := 0; i < len(entry.Content); i += 2 {
		if entry.Content[i].Value == key {
			return entry.Content[i+1].Value
		}
	}
	return ""
}

// text is the answer in the lines of an entry.
func (a Answer) text() string {
	const inside = 4 // even what closes an answer stands to the right of its key: YAML wants that
	var b strings.Builder
	fmt.Fprintf(&b, "  status: %s\n", a.Status)
	if len(a.Headers) > 0 {
		headers := map[string]any{}
		for name, value := range a.Headers {
			headers[name] = nil
			if value != nil {
				headers[name] = *value
			}
		}
		const key = "  answered: "
		b.WriteString(key + laidOut(headers, inside, len(key)) + "\n")
	}
	if a.Body != nil {
		const key = "  answer: "
		b.WriteString(key + laidOut(a.Body, inside, len(key)) + "\n")
	}
	return b.String()
}

// Sweep removes the event files of a group that are not among those that are kept.
func Sweep(root, group string, kept []string) error {
	files, err := Files(root, group)
	if err != nil {
		return err
	}
	for _, path := range files {
		if slices.Contains(kept, path) {
			continue
		}
		for _, file := range []string{path, AnswerFile(path)} {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
