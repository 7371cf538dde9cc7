package judge

import "slices"

// Exception is a right that no recorded event uses, and who does. A star stands for any role, statement or right.
type Exception struct {
	Right

	Who string
}

// Walk is who uses a right that the walk of infra/smoke needs and no event does.
const Walk = "the walk through every operation"

func (e Exception) about(r Right) bool {
	same := func(pattern, text string) bool { return pattern == "*" || pattern == text }
	return same(e.Role, r.Role) && same(e.Statement, r.Statement) && same(e.Right.Right, r.Right)
}

// Unexplained returns what a list of exceptions doesn't explain: rights that nothing used, and exceptions about none of these.
func Unexplained(unused []Right, exceptions []Exception) (wrong []string) {
	for _, r := range unused {
		if !slices.ContainsFunc(exceptions, func(e Exception) bool { return e.about(r) }) {
			wrong = append(wrong, "nothing uses "+r.String()+": remove it, or name who does")
		}
	}
	for _, e := range exceptions {
		if !slices.ContainsFunc(unused, e.about) {
			wrong = append(wrong, "an exception about nothing: "+e.String()+" is used, or isn't granted")
		}
	}
	return wrong
}

// Unwalked returns the rights that an exception says the walk uses, and that are unused after it.
func Unwalked(unused []Right, exceptions []Exception) (wrong []string) {
	for _, r := range unused {
		if slices.ContainsFunc(exceptions, func(e Exception) bool { return e.Who == Walk && e.about(r) }) {
			wrong = append(wrong, "the walk doesn't use "+r.String())
		}
	}
	return wrong
}

// Exceptions are the rights that no recorded event uses.
func Exceptions() []Exception {
	return []Exception{}
}
