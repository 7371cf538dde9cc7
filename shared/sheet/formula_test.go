package sheet

import "testing"

// TestFormulasBehindWhatNobodySees: a sign counts as the first one though marks
// without a shape stand before it.
func TestFormulasBehindWhatNobodySees(t *testing.T) {
	for _, before := range []string{"", " ", "\ufeff", "\u200b", "\u00ad", "\u202e", "\x01", "\u00a0", `"`} {
		for _, sign := range []string{"=", "+", "-", "@"} {
			text := before + sign + "1+1"
			if got := escaped(text); got != before+"'"+sign+"1+1" {
				t.Errorf("%q is written as %q", text, got)
			}
			if back := unescaped(escaped(text)); back != text {
				t.Errorf("%q is read again as %q", text, back)
			}
		}
	}
}
