import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { base } from './platform.js';

/** A program of README.md, as test/examples.mjs has written it. */
const program = (name: string) => fileURLToPath(new URL(`${name}.js`, import.meta.url));

test('the order of README.md is made', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program('example')], { env: { ...process.env, TENANTRY_URL: base } });
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, 6, stdout);
  assert.match(lines[0] ?? '', /^.+ is booked: order \d+, \d+\.\d\d$/);
  assert.match(lines[1] ?? '', /^.+ item \d+$/);
  assert.match(lines[2] ?? '', /^\d+ clients$/);
  assert.equal(lines[3], 'passport.txt has 1 file');
  assert.match(lines[4] ?? '', /^\/name blank: /);
  assert.match(lines[5] ?? '', /^\/phone invalid_phone: /);
});

test('the receiver of README.md takes what is signed, and nothing else', async () => {
  const port = await free();
  const key = 'a secret of a webhook';
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: `whsec_${btoa(key)}` };
  const receiver = spawn(process.execPath, [program('receiver')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const body = JSON.stringify({ id: 'evt_7_1', type: 'order.completed', data: { company: 7, event: { object: 'order:7' } } });
    const stamp = Math.floor(Date.now() / 1000);
    const headers = {
      'webhook-id': 'evt_7_1', 'webhook-timestamp': String(stamp),
      'webhook-signature': `v1,${createHmac('sha256', key).update(`evt_7_1.${stamp}.${body}`).digest('base64')}`,
    };
    const post = (text: string) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text });
    const said = once(receiver.stdout, 'data');
    assert.equal((await patiently(() => post(`${body} `))).status, 401);
    assert.equal((await post(body)).status, 204);
    assert.equal(String(await said), 'order.completed: order:7\n');
  } finally {
    receiver.kill();
  }
});

async function free(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks until somebody listens. */
async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let left = 100; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  }
}
