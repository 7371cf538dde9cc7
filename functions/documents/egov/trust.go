package egov

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Trust is the certificates of the certification centre that are believed: roots, and authorities
// below them, which NCALayer doesn't put into a CMS.
type Trust struct {
	mu      sync.Mutex
	roots   []*certificate
	others  []*certificate
	missing []pinned
}

// pinned is a certificate that is known by its hash alone, and where it can be had.
type pinned struct {
	address string
	sum     [sha256.Size]byte
}

// ParseTrust reads the configuration: certificates as PEM, and pairs of an address and the SHA-256
// in hexadecimal of the certificate that is there. Certificates of that many bytes don't fit into
// the environment of a function, their hashes do. How such a one arrives doesn't matter, as only
// the one with this hash is taken.
func ParseTrust(text string) (*Trust, error) {
	t := &Trust{}
	for {
		before, _, found := strings.Cut(text, "-----BEGIN ")
		if err := t.pin(strings.Fields(before)); err != nil {
			return nil, err
		}
		if !found {
			return t, nil
		}
		block, rest := pem.Decode([]byte(text[len(before):]))
		if block == nil || block.Type != "CERTIFICATE" {
			return nil, errors.New("egov: a root that is no certificate as PEM")
		}
		if err := t.add(block.Bytes); err != nil {
			return nil, err
		}
		text = string(rest)
	}
}

func (t *Trust) pin(words []string) error {
	for pair := range slices.Chunk(words, 2) {
		p := pinned{address: pair[0]}
		if len(pair) < 2 || !strings.HasPrefix(p.address, "http://") && !strings.HasPrefix(p.address, "https://") {
			return fmt.Errorf("egov: %q is not the address of a certificate and its SHA-256", pair)
		}
		sum, err := hex.DecodeString(pair[1])
		if err != nil || len(sum) != len(p.sum) {
			return fmt.Errorf("egov: %q is no SHA-256", pair[1])
		}
		p.sum = [sha256.Size]byte(sum)
		t.missing = append(t.missing, p)
	}
	return nil
}

// add takes a certificate. One that names itself as its issuer is a root, and signed by itself. Its
// errors are no faults: no signer can do anything about them.
func (t *Trust) add(der []byte) error {
	c, err := parseCertificate(der)
	switch {
	case err != nil:
		return fmt.Errorf("egov: a root: %w", err)
	case c.keyErr != nil:
		return fmt.Errorf("egov: the key of %s: %s", shown(c.Subject), c.keyErr.Error())
	case !bytes.Equal(c.RawIssuer, c.RawSubject):
		t.others = append(t.others, c)
		return nil
	}
	if err := c.issued(c); err != nil {
		return fmt.Errorf("egov: the root %s: %s", shown(c.Subject), err.Error())
	}
	t.roots = append(t.roots, c)
	return nil
}

// load returns what is trusted, and fetches what isn't there yet. What can't be had is asked for
// again the next time; the error says what it was.
func (t *Trust) load(ctx context.Context, n Network) (roots, others []*certificate, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	still := t.missing[:0:0]
	for _, p := range t.missing {
		if problem := t.fetch(ctx, n, p); problem != nil {
			err = errors.Join(err, problem)
			still = append(still, p)
		}
	}
	t.missing = still
	return slices.Clone(t.roots), slices.Clone(t.others), err
}

func (t *Trust) fetch(ctx context.Context, n Network, p pinned) error {
	body, err := n.Get(ctx, p.address)
	if err != nil {
		return fmt.Errorf("egov: %s: %w", p.address, err)
	}
	if block, _ := pem.Decode(body); block != nil {
		body = block.Bytes
	}
	if sha256.Sum256(body) != p.sum {
		return fmt.Errorf("egov: at %s there is another certificate", p.address)
	}
	return t.add(body)
}

const (
	longest = 5  // certificates in a chain, the signer's and the root among them
	tries   = 16 // signatures of certificates that are checked for one CMS
)

// walk looks for a way from a certificate to a root.
type walk struct {
	roots, others []*certificate
	at            time.Time
	tries         int
}

// issuer returns the certificate that issued c, if it leads to a root. Its error is that of the
// way that went wrong last, or ErrUntrusted.
func (w *walk) issuer(c *certificate, depth int) (*certificate, error) {
	err := error(ErrUntrusted)
	for _, list := range [][]*certificate{w.roots, w.others} {
		for _, candidate := range list {
			if candidate.equal(c) || !candidate.couldIssue(c) {
				continue
			}
			if w.tries--; w.tries < 0 {
				return nil, ErrUntrusted.Because(errors.New("egov: too many certificates"))
			}
			if problem := w.leads(candidate, c, depth); problem != nil {
				err = problem
				continue
			}
			return candidate, nil
		}
	}
	return nil, err
}

// leads tells why an authority that could have issued c doesn't make it trusted.
func (w *walk) leads(authority, c *certificate, depth int) error {
	switch {
	case len(authority.UnhandledCriticalExtensions) > 0:
		return ErrUntrusted.Because(errors.New("egov: an authority with unknown restrictions"))
	case authority.MaxPathLen >= 0 && (authority.MaxPathLen > 0 || authority.MaxPathLenZero) && depth > authority.MaxPathLen:
		return ErrUntrusted.Because(errors.New("egov: more authorities than one allows"))
	}
	if err := authority.validAt(w.at); err != nil {
		return ErrUntrusted.Because(err)
	}
	if err := authority.issued(c); err != nil {
		return err
	}
	if slices.ContainsFunc(w.roots, authority.equal) {
		return nil
	}
	if depth+3 > longest {
		return ErrUntrusted.Because(errors.New("egov: the chain is too long"))
	}
	_, err := w.issuer(authority, depth+1)
	return err
}
