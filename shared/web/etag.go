package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/shared/fault"
	"github.com/tenantry/tenantry/shared/say"
)

// ETag is the entity tag of a record at a revision.
func ETag(revision int64) string { return `"` + strconv.FormatInt(revision, 10) + `"` }

// Match obeys If-Match. It returns the fault Precondition if the caller decided on a change
// for a revision other than the one with this tag.
func (r *Request) Match(etag string) error {
	header := r.http.Header.Get("If-Match")
	if header == "" || tagged(header, func(tag string) bool { return tag == etag }) {
		return nil
	}
	return fault.New(fault.Precondition, say.PreconditionFailed).With("etag", etag)
}

// unchanged tells whether If-None-Match says that the caller has the answer
// already. Tags are compared weakly: that an intermediary has compressed the
// answer does not matter. The ETag of a mixed answer says nothing about the rest of it.
func unchanged(r *http.Request, reply *plainReply) bool {
	etag, header, op := reply.Header["ETag"], r.Header.Get("If-None-Match"), callOf(r).op
	if etag == "" || header == "" || op != nil && op.Mixed || reply.Status != 0 && reply.Status != http.StatusOK ||
		r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	etag = strings.TrimPrefix(etag, "W/")
	return tagged(header, func(tag string) bool { return strings.TrimPrefix(tag, "W/") == etag })
}

// tagged tells whether a list of entity tags is *, or has a tag for which fits is true. The
// list is split at commas. Our own tags contain no comma; a tag of another server may be split
// in two, which does no harm.
func tagged(header string, fits func(tag string) bool) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || fits(tag) {
			return true
		}
	}
	return false
}
