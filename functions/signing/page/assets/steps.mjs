// What a page shows of a state. Nothing here knows the browser.

export const SMS = 1;
export const EGOV = 2;

// The ways in which the signer can sign on the page.
export function ways(view) {
  return view.sign.method_allowed.filter((m) => m === EGOV || (m === SMS && view.sign.phone !== null));
}

// What the signer can do next; page.go says the same.
export function stepOf(view) {
  const { sign } = view;
  if (view.withdrawn) return 'withdrawn';
  if (sign.status === 4) return 'rejected';
  if (sign.status === 5 && view.sealed) return 'sealed';
  if (sign.status === 5) return view.signed ? 'sealing' : 'waiting';
  if (view.paused) return 'paused';
  if (!view.file) return 'nothing';
  if (ways(view).length === 0) return 'office';
  return sign.status === 3 && sign.confirm && sign.phone !== null ? 'code' : 'choose';
}

// The time of which a step tells.
export function whenOf(view) {
  if (view.withdrawn) return view.withdrawn;
  return stepOf(view) === 'sealed' && view.sealed_at ? view.sealed_at : view.sign.updated_at;
}

// The place of the signer's own sign in the list of all; -1 if it isn't there.
export function ownOf({ sign, signs }) {
  return signs.findIndex((s) => s.name === sign.name && s.method === sign.method && s.status === sign.status);
}

// Whether the signer can still reject.
export function canReject(view) {
  return !view.withdrawn && view.paused !== 'suspended' && view.sign.status < 4;
}

// Seconds as a clock shows them: 0:07, 9:59, 1:00:00.
export function clock(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  const two = (n) => String(n).padStart(2, '0');
  const minutes = Math.floor(left / 60) % 60;
  const hours = Math.floor(left / 3600);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(left % 60)}` : `${minutes}:${two(left % 60)}`;
}

// A text with values in the place of their names in braces.
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (braces, name) => (name in values ? String(values[name]) : braces));
}

// The digits of what was typed or pasted as a code.
export function digits(text) {
  return text.replace(/\D/g, '');
}

// How long the page waits before it asks once more whether the file is sealed, in seconds; null: no longer.
export function pause(asked) {
  if (asked >= 40) return null;
  return Math.min(60, Math.round(2 * 1.4 ** asked));
}

// What a refusal means to the signer: a text, and whether the view has to be read again.
// what is 'code', 'eds', 'reject' or 'sign'.
export function meaning(texts, refusal, what) {
  const { status, body, retryAfter } = refusal;
  const code = body && typeof body.code === 'string' ? body.code : '';
  // What the company can't do now no other try can do; it may be able to later.
  if (['suspended', 'company_closed', 'plan'].includes(code)) return { text: texts.steps.paused, reload: true };
  if (code && texts.codes[code]) return { text: texts.codes[code], reload: status === 409 };
  switch (status) {
    case 0: return { text: texts.offline, reload: false };
    case 404: return { text: texts.gone, reload: false };
    case 409: return { text: texts.conflict, reload: true };
    case 429: return { text: retryAfter > 3600 ? texts.wait_until : texts.wait, wait: retryAfter, reload: false };
    case 503: return { text: what === 'eds' ? texts.eds_unavailable : texts.unavailable, reload: false };
    case 400:
      if (what === 'eds') return { text: texts.eds_refused, detail: first(body), reload: false };
      if (what === 'code') return { text: texts.code_wrong, reload: true };
      return { text: texts.failed, detail: first(body), reload: false };
    default: return { text: status >= 500 ? texts.unavailable : texts.failed, reload: false };
  }
}

// The first sentence of a refusal.
function first(body) {
  if (!body || typeof body !== 'object') return '';
  for (const value of Object.values(body)) {
    if (Array.isArray(value) && typeof value[0] === 'string') return value[0];
  }
  return typeof body.detail === 'string' ? body.detail : '';
}

// What the verification of a file, or of the checksum in a QR code, came to.
export function outcomeOf(answer, byCode) {
  const results = answer.results || [];
  if (answer.problem) return 'changed';
  if (results.some((r) => r.kind === 'sealed' && r.whole)) return 'whole';
  if (results.some((r) => r.kind === 'original')) return byCode ? 'code' : 'original';
  if (results.length > 0) return 'changed';
  return byCode ? 'unknown_code' : 'unknown';
}

// The documents that a verification tells of. What is left of an erased company's is told only where no other document is known by the
// same checksum: a copy of the company that stands says the same, and more.
export function documentsOf({ results }) {
  const all = results || [];
  const known = all.filter((r) => !r.erased);
  return known.length > 0 ? known : all;
}

// Whether a file begins as a PDF does: readers find the mark within the first kilobyte.
export function isPDF(bytes) {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).includes('%PDF-');
}

// The checksum in the fragment of an address: '' for none, null for what is none.
export function hashOf(fragment) {
  const got = /^#sha256=(.*)$/.exec(fragment);
  if (!got) return '';
  return /^[0-9a-f]{64}$/i.test(got[1]) ? got[1].toLowerCase() : null;
}
