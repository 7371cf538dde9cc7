package search

import "time"

// MarkAge is how far the mark of a manifest lies behind the time at which it is written. Every change
// from before the mark has to be in the index by then: it is longer than any function runs that writes
// records, plus what clocks differ by and what the index lags. The check `mark` of infra/templatecheck
// compares it with the functions' timeouts.
const MarkAge = 3 * time.Minute
