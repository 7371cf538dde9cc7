// Calls of our API.

// What was not answered with success. status 0: there was no answer.
export class Refusal extends Error {
  constructor(status, body, retryAfter) {
    super(`refused: ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

let ahead = 0; // how far the server's clock is ahead of ours, in milliseconds

// The time at the server.
export function now() {
  return Date.now() + ahead;
}

// Calls an operation; sends json or form where there is one. It returns the answer's body.
export async function call(path, { method = 'GET', json, form } = {}) {
  const headers = { Accept: 'application/json' };
  if (json !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  let got = null;
  try {
    const body = json !== undefined ? JSON.stringify(json) : form;
    answer = await fetch(path, { method, headers, body, cache: 'no-store', redirect: 'error' });
    got = await answer.json().catch(() => null);
  } catch (e) {
    throw new Refusal(0, null, 0);
  }
  const at = Date.parse(answer.headers.get('Date') || '');
  // The header tells whole seconds: what is off by less than two is not known to be off.
  if (!Number.isNaN(at)) ahead = Math.abs(at - Date.now()) > 2000 ? at - Date.now() : 0;
  if (answer.ok) return got;
  throw new Refusal(answer.status, got, Number(answer.headers.get('Retry-After')) || 0);
}

// The bytes of a file at an address of ours, which lie in the bucket; progress is told the part of the expected size that
// has come.
export async function bytesOf(address, expected, progress = () => {}) {
  const { url } = await call(address);
  let answer;
  try {
    answer = await fetch(url, { credentials: 'omit' });
    if (!answer.ok) throw new Refusal(answer.status, null, 0);
    if (!answer.body || !answer.body.getReader) return new Uint8Array(await answer.arrayBuffer());
    const reader = answer.body.getReader();
    const pieces = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      size += value.length;
      if (expected > 0) progress(Math.min(1, size / expected));
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  } catch (e) {
    throw e instanceof Refusal ? e : new Refusal(0, null, 0);
  }
}
