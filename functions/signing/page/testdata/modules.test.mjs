// Tests of the scripts' parts that don't need a browser; modules_test.go runs them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { NCALayerError, cmsOf, request, sign } from '../assets/ncalayer.mjs';
import { SHA256, sumOf } from '../assets/sha256.mjs';
import * as steps from '../assets/steps.mjs';

const file = (name) => readFileSync(new URL(name, import.meta.url));
const json = (name) => JSON.parse(file(name));
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
const texts = json('../texts/en.json').script;

test('the files of pdf.js are those of its package', () => {
  const { files } = json('../pdfjs/files.json');
  assert.equal(Object.keys(files).length, 5);
  for (const [name, { sha256 }] of Object.entries(files)) {
    assert.equal(hash(brotliDecompressSync(file(`../pdfjs/${name}.br`))), sha256, name);
  }
});

test('SHA-256', async (t) => {
  const hexOf = (text) => new SHA256().update(new TextEncoder().encode(text)).hex();
  await t.test('vectors of FIPS 180-4', () => {
    assert.equal(hexOf(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(hexOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    const two = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq';
    assert.equal(hexOf(two), '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1');
    assert.equal(hexOf('a'.repeat(1e6)), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  });
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7 + (i >> 3)) & 255);
  await t.test('every length around the ends of blocks', () => {
    for (let n = 0; n <= 260; n += 1) {
      const part = bytes.subarray(0, n);
      assert.equal(new SHA256().update(part).hex(), hash(part), `${n} bytes`);
    }
  });
  await t.test('in pieces of every size', () => {
    for (let piece = 1; piece <= 130; piece += 1) {
      const sum = new SHA256();
      for (let at = 0; at < bytes.length; at += piece) sum.update(bytes.subarray(at, at + piece));
      assert.equal(sum.hex(), hash(bytes), `pieces of ${piece}`);
    }
  });
  await t.test('a length of more than 32 bits of bits', () => {
    const sum = new SHA256();
    sum.size = 0x20000000 - 64; // as if so much had been added: only the length at the end shows it
    let last;
    sum.block = (block, at) => { last = Array.from(block.subarray(at + 56, at + 64)); };
    sum.update(new Uint8Array(64)).hex();
    assert.deepEqual(last, [0, 0, 0, 1, 0, 0, 0, 0]);
  });
  await t.test('a file, with its progress', async () => {
    const large = new Uint8Array((5 << 20) + 3).fill(9);
    const told = [];
    assert.equal(await sumOf(new Blob([large]), (part) => told.push(part)), hash(large));
    assert.equal(told.length, 6);
    assert.equal(told.at(-1), 1);
    assert.equal(await sumOf(new Blob([])), hash(''));
  });
});

test('steps are those of the server', async (t) => {
  for (const { name, view, step } of json('steps.json')) {
    await t.test(name, () => assert.equal(steps.stepOf(view), step));
  }
});

test('small things', async (t) => {
  await t.test('clock', () => {
    assert.deepEqual([-3, 0, 6.2, 60, 599.5, 3600].map(steps.clock), ['0:00', '0:00', '0:07', '1:00', '10:00', '1:00:00']);
  });
  await t.test('fill', () => assert.equal(steps.fill('{a} of {b} {c}', { a: 1, b: '$&' }), '1 of $& {c}'));
  await t.test('digits', () => assert.equal(steps.digits(' 123-4 56\u00a0'), '123456'));
  await t.test('pauses grow to a minute and end', () => {
    assert.deepEqual([0, 1, 5, 20, 39, 40].map(steps.pause), [2, 3, 11, 60, 60, null]);
  });
  await t.test('who can still reject', () => {
    assert.deepEqual([0, 1, 2, 3, 4, 5].map((status) => steps.canReject({ sign: { status } })), [true, true, true, true, false, false]);
    assert.deepEqual(['suspended', 'plan'].map((paused) => steps.canReject({ paused, sign: { status: 1 } })), [false, true]);
  });
  await t.test('the own sign among all', () => {
    const sign = { name: 'A', method: 1, status: 2, uuid: 'u' };
    const signs = [{ name: 'A', method: 1, status: 5 }, { name: 'A', method: 1, status: 2 }];
    assert.deepEqual([steps.ownOf({ sign, signs }), steps.ownOf({ sign, signs: [] })], [1, -1]);
  });
  await t.test('what is a PDF', () => {
    const bytes = (text) => new TextEncoder().encode(text);
    const files = ['%PDF-1.7\n', `${' '.repeat(1000)}%PDF-1.4`, `${' '.repeat(1024)}%PDF-1.4`, 'PK\u0003\u0004', ''];
    assert.deepEqual(files.map((file) => steps.isPDF(bytes(file))), [true, true, false, false, false]);
  });
  await t.test('the hash in an address', () => {
    const sum = 'AB'.repeat(32);
    const addresses = ['', '#x', `#sha256=${sum}`, '#sha256=abc', `#sha256=${sum}0`];
    assert.deepEqual(addresses.map(steps.hashOf), ['', '', sum.toLowerCase(), null, null]);
  });
});

test('what refusals mean', async (t) => {
  const mean = (status, body, what, retryAfter = 0) => steps.meaning(texts, { status, body, retryAfter }, what);
  for (const [name, got, want] of [
    ['no answer', mean(0, null, 'code'), { text: texts.offline, reload: false }],
    ['gone', mean(404, { detail: 'Not found.' }, 'sign'), { text: texts.gone, reload: false }],
    ['expired', mean(404, { detail: 'x', code: 'link_expired' }, 'sign'), { text: texts.codes.link_expired, reload: false }],
    ['a conflict', mean(409, { detail: 'x', code: 'status', status: 5 }, 'sign'), { text: texts.conflict, reload: true }],
    ['a conflict that has a text', mean(409, { detail: 'x', code: 'stages' }, 'sign'), { text: texts.codes.stages, reload: true }],
    ['a company that is suspended', mean(403, { detail: 'x', code: 'suspended' }, 'code'), { text: texts.steps.paused, reload: true }],
    ['one that is closed', mean(403, { detail: 'x', code: 'company_closed' }, 'eds'), { text: texts.steps.paused, reload: true }],
    ['a plan that is full', mean(403, { detail: 'x', code: 'plan' }, 'sign'), { text: texts.steps.paused, reload: true }],
    ['too early', mean(429, null, 'sign', 42), { text: texts.wait, wait: 42, reload: false }],
    ['enough for today', mean(429, null, 'sign', 40000), { text: texts.wait_until, wait: 40000, reload: false }],
    ['a wrong code', mean(400, { code: ['The code is wrong.'] }, 'code'), { text: texts.code_wrong, reload: true }],
    ['a CMS with a text', mean(400, { cms: ['…'], code: 'certificate_expired' }, 'eds'),
      { text: texts.codes.certificate_expired, reload: false }],
    ['a CMS without', mean(400, { cms: ['Nobody has signed.'] }, 'eds'),
      { text: texts.eds_refused, detail: 'Nobody has signed.', reload: false }],
    ['OCSP is down', mean(503, { detail: 'x' }, 'eds'), { text: texts.eds_unavailable, reload: false }],
    ['we are down', mean(503, null, 'reject'), { text: texts.unavailable, reload: false }],
    ['a gateway is down', mean(502, null, 'reject'), { text: texts.unavailable, reload: false }],
    ['anything else', mean(413, 'no JSON', 'reject'), { text: texts.failed, reload: false }],
  ]) {
    await t.test(name, () => assert.deepEqual(got, want));
  }
});

test('what a verification came to', async (t) => {
  const sealed = { kind: 'sealed', whole: true };
  const original = { kind: 'original', whole: false };
  for (const [name, answer, byCode, want] of [
    ['a sealed file', { results: [sealed], problem: null }, false, 'whole'],
    ['the hash of a sealed file', { results: [sealed] }, true, 'whole'],
    ['an original', { results: [original] }, false, 'original'],
    ['the code on the page', { results: [original] }, true, 'code'],
    ['sealed here, and the original of another', { results: [original, sealed] }, false, 'whole'],
    ['changed', { found: false, results: [], problem: 'x' }, false, 'changed'],
    ['found, and changed all the same', { found: true, results: [sealed], problem: 'x' }, false, 'changed'],
    ['sealed but not whole', { results: [{ kind: 'sealed', whole: false }] }, false, 'changed'],
    ['unknown', { found: false, results: [], problem: null }, false, 'unknown'],
    ['unknown code', { found: false, results: [], problem: null }, true, 'unknown_code'],
  ]) {
    await t.test(name, () => {
      assert.equal(steps.outcomeOf(answer, byCode), want);
      assert.equal(texts.outcomes[want].length, 2);
    });
  }
});

test('the documents that a verification tells of', () => {
  const erased = { kind: 'sealed', whole: true, erased: true };
  const copy = { kind: 'sealed', whole: true, erased: false };
  assert.deepEqual(steps.documentsOf({ results: [erased, copy] }), [copy]);
  assert.deepEqual(steps.documentsOf({ results: [erased] }), [erased]);
  assert.deepEqual(steps.documentsOf({}), []);
});

test('what NCALayer answers', async (t) => {
  const ok = (result) => JSON.stringify({ status: true, body: { result } });
  for (const [name, text, want] of [
    ['its greeting', '{"result":{"version":"1.4"}}', null],
    ['a text', ok('AAEC'), 'AAEC'],
    ['a list', ok(['AAEC']), 'AAEC'],
    ['lines', ok('AAEC\r\nAwQ=\n'), 'AAECAwQ='],
    ['PEM in a list', ok(['-----BEGIN CMS-----\nAAEC\nAwQ=\n-----END CMS-----\n']), 'AAECAwQ='],
  ]) {
    await t.test(name, () => assert.equal(cmsOf(text), want));
  }
  for (const [name, text, kind, said] of [
    ['the signer closed its window', '{"status":true,"body":{}}', 'cancelled', ''],
    ['no body', '{"status":true}', 'cancelled', ''],
    ['a refusal', '{"status":false,"code":"500","message":"Wrong key.","details":"PKCS12"}', 'failed', 'Wrong key. PKCS12'],
    ['no JSON', 'oops', 'failed', 'oops'],
    ['null', 'null', 'failed', ''],
    ['an empty list', ok([]), 'failed', ''],
    ['what is no base64', ok('<b>'), 'failed', ''],
    ['a module it lacks', '{"errorCode":"x","message":"Unknown module"}', 'failed', 'Unknown module'],
  ]) {
    await t.test(name, () => assert.throws(() => cmsOf(text), (e) => e instanceof NCALayerError && e.kind === kind && e.said === said));
  }
});

test('a conversation with NCALayer', async (t) => {
  // A socket whose other end the test plays: play(socket) is called once it is made.
  const socketOf = (play) => class {
    constructor(address) {
      Object.assign(this, { address, sent: [] });
      setImmediate(() => play(this));
    }

    send(text) {
      this.sent.push(JSON.parse(text));
      if (this.onsent) this.onsent();
    }

    close() { this.closed = true; }
  };
  const address = 'wss://127.0.0.1:13579';
  const talk = (play, more = {}) => sign({ address, data: 'JVBERg==', locale: 'kk', Socket: socketOf(play), ...more });

  await t.test('signs', async () => {
    let socket;
    let there = 0;
    const cms = await talk((s) => {
      socket = s;
      s.onopen();
      s.onsent = () => s.onmessage({ data: '{"status":true,"body":{"result":["AAEC"]}}' });
      s.onmessage({ data: '{"result":{"version":"1.4"}}' });
    }, { connected: () => { there += 1; } });
    assert.equal(cms, 'AAEC');
    assert.equal(there, 1);
    assert.equal(socket.closed, true);
    assert.deepEqual(socket.sent, [request('JVBERg==', 'kk')]);
    const { args, ...what } = socket.sent[0];
    assert.deepEqual(what, { module: 'kz.gov.pki.knca.basics', method: 'sign' });
    assert.equal(args.format, 'cms');
    assert.deepEqual(args.signingParams, { decode: true, encapsulate: false, digested: false, tsaProfile: {} });
  });
  await t.test('one that does not greet', async () => {
    assert.equal(await talk((s) => {
      s.onsent = () => s.onmessage({ data: '{"status":true,"body":{"result":"AAEC"}}' });
      s.onopen();
    }, { greeting: 1 }), 'AAEC');
  });
  for (const [name, play, kind, more] of [
    ['is not running', (s) => s.onerror(), 'missing'],
    ['never answers', () => {}, 'missing', { patience: 1 }],
    ['ends in the middle', (s) => { s.onopen(); s.onclose(); }, 'failed'],
    ['is told to stop', (s) => {
      s.onsent = () => s.onmessage({ data: '{"status":true,"body":{}}' });
      s.onopen();
      s.onmessage({ data: '{"result":{"version":"1"}}' });
    }, 'cancelled'],
  ]) {
    await t.test(name, () => assert.rejects(talk(play, more), (e) => e.kind === kind));
  }
  await t.test('the browser forbids it', () => assert.rejects(
    sign({ address: 'x', data: '', locale: 'ru', Socket: class { constructor() { throw new Error('SecurityError'); } } }),
    (e) => e.kind === 'missing',
  ));
});

test('every text that the scripts say is there', () => {
  const keys = Object.keys(texts);
  const code = ['sign', 'verify', 'viewer', 'steps', 'dom'].map((name) => file(`../assets/${name}.mjs`).toString()).join('\n');
  const asked = [...code.matchAll(/\btexts\.(\w+)/g)].map((m) => m[1]);
  assert.ok(asked.length > 40);
  for (const key of asked) assert.ok(keys.includes(key), key);
  for (const kind of ['missing', 'cancelled', 'failed']) assert.ok(keys.includes(`nca_${kind}`));
});
