package judge

import (
	_ "embed"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tenantry/tenantry/infra/local/policy"
)

// Exception is a right that no recorded event uses, and who does. A star in its role, statement or right stands for anything.
type Exception struct {
	Right

	Who string
}

// Walk is who uses a right that the walk of infra/smoke needs and no event does.
const Walk = "the walk through every operation"

// Late is who uses a right for messages that wait for some seconds, until an index is up to date: the walk waits for what they do, and
// the replay of an event sometimes takes as long.
const Late = "messages that wait for an index, in the walk through every operation"

func (e Exception) about(r Right) bool {
	return policy.Like(e.Role, r.Role) && policy.Like(e.Statement, r.Statement) && policy.Like(e.Right.Right, r.Right)
}

// Unexplained returns what a list of exceptions doesn't explain: rights that nothing used, and exceptions about none of these.
func Unexplained(unused []Right, exceptions []Exception) (wrong []string) {
	for _, r := range unused {
		if !slices.ContainsFunc(exceptions, func(e Exception) bool { return e.about(r) }) {
			wrong = append(wrong, "nothing uses "+r.String()+": remove it, or name who does")
		}
	}
	for _, e := range exceptions {
		if e.Who != Late && !slices.ContainsFunc(unused, e.about) {
			wrong = append(wrong, "an exception about nothing: "+e.String()+" is used, or isn't granted")
		}
	}
	return wrong
}

// Unwalked returns the rights that an exception says the walk uses, and that are unused after it.
func Unwalked(unused []Right, exceptions []Exception) (wrong []string) {
	for _, r := range unused {
		if slices.ContainsFunc(exceptions, func(e Exception) bool { return (e.Who == Walk || e.Who == Late) && e.about(r) }) {
			wrong = append(wrong, "the walk doesn't use "+r.String())
		}
	}
	return wrong
}

//go:embed exceptions.yaml
var exceptions []byte

// Exceptions are the rights that no recorded event uses.
func Exceptions() (all []Exception) {
	var by map[string][][3]string // who uses them
	if err := yaml.Unmarshal(exceptions, &by); err != nil {
		panic("judge: exceptions.yaml: " + err.Error())
	}
	for who, rights := range by {
		for _, r := range rights {
			all = append(all, Exception{Right{Role: r[0], Statement: r[1], Right: r[2]}, who})
		}
	}
	return all
}
