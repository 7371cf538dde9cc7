package segment_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/shared/record/search/segment"
)

// Texts sort as in the Kazakh alphabet, and come back as they were.
func TestEncode(t *testing.T) {
	ascending := strings.Split("|1|a|z|à|а|ә|б|в|г|ғ|д|е|ё|ж|з|и|й|к|қ|л|м|н|ң|о|ө|п|р|с|т|у|ұ|ү|ф|х|һ|ц|ч|ш|щ|ъ|ы|і|ь|э|ю|я|яя|中|中a|\U0001F600", "|")
	for i, text := range ascending {
		if got := segment.Decode(segment.Encode(text)); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
		if i > 0 && bytes.Compare(segment.Encode(ascending[i-1]), segment.Encode(text)) >= 0 {
			t.Errorf("%q doesn't come before %q", ascending[i-1], text)
		}
	}
	everything := "\x00\t\x1f\x7f «»№₸ qazaq қазақ 中\U0001F600"
	stored := segment.Encode(everything)
	if got := segment.Decode(stored); got != everything {
		t.Errorf("%q came back as %q", everything, got)
	}
	if slices.Min(stored) < ' ' {
		t.Errorf("%x has a byte below the space", stored)
	}
	if got := segment.Decode(stored[:len(stored)-1]); got != strings.TrimSuffix(everything, "\U0001F600") {
		t.Errorf("without its last byte it came back as %q", got)
	}
}
