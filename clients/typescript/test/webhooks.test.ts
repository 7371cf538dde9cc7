import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { verifyWebhook, WebhookError, type WebhookMessage } from '@tenantry/client/webhooks';

import { demo, signedIn } from './platform.js';

// The example by which the libraries of Standard Webhooks test themselves.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const now = new Date(1614265330_000);
const body = '{"test": 2432232314}';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const headers = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330', 'webhook-signature': signature };

test('what the specification has signed is verified', async () => {
  assert.deepEqual(await verifyWebhook(secret, headers, body, { now }), { test: 2432232314 });
  await verifyWebhook(secret, new Headers(headers), new TextEncoder().encode(body), { now });
  await verifyWebhook(secret, { ...headers, 'webhook-signature': `v1,${btoa('x'.repeat(32))} ${signature}` }, body, { now });
  await verifyWebhook(secret, headers, body, { now: new Date(now.getTime() + 299_000) });
});

for (const [what, refused] of Object.entries({
  'a byte more': () => verifyWebhook(secret, headers, `${body} `, { now }),
  'another id': () => verifyWebhook(secret, { ...headers, 'webhook-id': 'msg_other' }, body, { now }),
  'another time': () => verifyWebhook(secret, { ...headers, 'webhook-timestamp': '1614265331' }, body, { now }),
  'an old one': () => verifyWebhook(secret, headers, body, { now: new Date(now.getTime() + 301_000) }),
  'one of the future': () => verifyWebhook(secret, headers, body, { now: new Date(now.getTime() - 301_000) }),
  'no time': () => verifyWebhook(secret, { ...headers, 'webhook-timestamp': 'NaN' }, body, { now }),
  'no signature': () => verifyWebhook(secret, { ...headers, 'webhook-signature': '' }, body, { now }),
  'half a signature': () => verifyWebhook(secret, { ...headers, 'webhook-signature': signature.slice(0, -9) }, body, { now }),
  'one of another version': () => verifyWebhook(secret, { ...headers, 'webhook-signature': signature.replace('v1', 'v2') }, body, { now }),
  'another secret': () => verifyWebhook(`whsec_${btoa('another secret of a webhook')}`, headers, body, { now }),
  'an empty secret': () => verifyWebhook('', signedBy('', body), body, { now }),
  'a secret that is none': () => verifyWebhook('whsec_?', headers, body, { now }),
})) {
  test(`${what} is refused`, () => assert.rejects(refused(), WebhookError));
}

/** The headers of a body that somebody has signed. */
function signedBy(key: string, text: string): typeof headers {
  const mac = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${mac}` };
}

test('what the platform delivers is verified', async () => {
  const tenantry = await signedIn();
  let secretOfHook = '';
  const { promise: delivered, resolve } = deferred<WebhookMessage>();
  const receiver = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    resolve(verifyWebhook(secretOfHook, request.headers, Buffer.concat(parts)));
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => { receiver.listen(0, '127.0.0.1', listening); });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { id } = await tenantry.post('/v1/webhooks/', { body: { url, types: ['client.created'], payload: 'whole' } });
  try {
    const named = await tenantry.post('/v1/webhooks/{id}/secret/', { params: { path: { id } }, body: { password: demo.password } });
    secretOfHook = named.secret;
    const client = await tenantry.post('/v1/crm/clients/', { body: { name: 'Айгүл Серікқызы 🚗' } });
    const message = await delivered;
    assert.equal(message.type, 'client.created');
    assert.equal(message.data.event?.object, `client:${client.id}`);
    assert('record' in message.data && (message.data.record as { name: string }).name === client.name);
  } finally {
    await tenantry.delete('/v1/webhooks/{id}/', { params: { path: { id } } });
    receiver.closeAllConnections();
    receiver.close();
  }
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T | Promise<T>) => void } {
  let resolve!: (value: T | Promise<T>) => void;
  return { promise: new Promise<T>((done) => { resolve = done; }), resolve };
}
