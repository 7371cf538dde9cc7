import type { Schemas } from './types.js';

/** What a webhook brings: docs/webhooks.md. */
export type WebhookMessage = Schemas['WebhookMessage'];

/** A delivery that wasn't signed by the secret, or not within the last minutes. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface VerifyOptions {
  /** For how many seconds a signature holds, before and after its time; 300 if it is left out. */
  tolerance?: number;
  /** What time it is; for tests. */
  now?: Date;
}

type IncomingHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a delivery of a webhook, and returns what it says. The body is its bytes as they came, or their text in UTF-8: JSON that was
 * parsed and written anew may have another signature. Throws a WebhookError unless the secret signed it, within the tolerance.
 */
export async function verifyWebhook(
  secret: string, headers: IncomingHeaders, body: string | Uint8Array<ArrayBuffer>, options: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = header(headers, 'webhook-id');
  const stamp = header(headers, 'webhook-timestamp');
  const seconds = /^\d{1,12}$/.test(stamp) ? Number(stamp) : NaN;
  const age = (options.now ?? new Date()).getTime() / 1000 - seconds;
  if (!(Math.abs(age) <= (options.tolerance ?? 300))) throw new WebhookError('webhook-timestamp is too far from now');

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = new Blob([`${id}.${stamp}.`, bytes]);
  if (!(await isSigned(secret, await signed.arrayBuffer(), header(headers, 'webhook-signature')))) {
    throw new WebhookError('no signature is right');
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage;
}

/** Tells whether one of several signatures is right, as after a rotation of secrets. WebCrypto compares in constant time. */
async function isSigned(secret: string, message: ArrayBuffer, signatures: string): Promise<boolean> {
  const raw = decoded(secret.replace(/^whsec_/, ''));
  if (!raw?.length) throw new WebhookError('the secret isn’t one of a webhook: whsec_…');
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const [version, signature] of signatures.split(' ').map((one) => one.split(',', 2))) {
    const mac = version === 'v1' && signature ? decoded(signature) : undefined;
    if (mac && await crypto.subtle.verify('HMAC', key, mac, message)) return true;
  }
  return false;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function header(headers: IncomingHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`${name} is missing`);
  return value;
}
