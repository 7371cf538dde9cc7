import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Tenantry, TenantryError, type Tokens } from '@tenantry/client';

import { base, demo, Proxy, signedIn } from './platform.js';

const is = (status: number, code: string) => (error: unknown) => {
  assert(error instanceof TenantryError, String(error));
  assert.deepEqual([error.status, error.code], [status, code]);
  return true;
};

test('a wrong password is refused, and the right one signs in', async () => {
  const kept: (Tokens | undefined)[] = [];
  const tenantry = new Tenantry({ baseUrl: base, onTokens: (tokens) => kept.push(tokens) });
  await assert.rejects(tenantry.get('/v1/tenant/'), is(401, 'not_authenticated'));
  await assert.rejects(tenantry.signIn(demo.username, 'wrong'), is(401, 'sign_in_wrong'));
  assert.deepEqual(kept, []);

  await tenantry.signIn(demo.username, demo.password);
  assert.deepEqual((await tenantry.get('/v1/tenant/')).map(({ id }) => id), [demo.tenant]);
  assert.deepEqual(kept, [tenantry.tokens]);
});

test('who has signed out is refused', async () => {
  const tenantry = await signedIn();
  const { tokens } = tenantry;
  assert(tokens);
  await tenantry.signOut();
  assert.equal(tenantry.tokens, undefined);
  await assert.rejects(new Tenantry({ baseUrl: base, tokens }).get('/v1/tenant/'), is(401, 'token_not_valid'));
});

test('a refused token is renewed once, by whoever is refused first', async () => {
  const proxy = new Proxy();
  const baseUrl = await proxy.listen();
  try {
    const { tokens: before } = await signedIn();
    assert(before);
    const kept: (Tokens | undefined)[] = [];
    const tokens = { ...before, access: `${before.access.slice(0, -4)}AAAA` };
    const tenantry = new Tenantry({ baseUrl, tokens, onTokens: (now) => kept.push(now) });
    const answers = await Promise.all(Array.from({ length: 5 }, () => tenantry.get('/v1/crm/clients/')));
    assert(answers.every(({ count }) => count > 0));
    // One that was sent later than the renewal, with the token of before.
    await tenantry.post('/v1/crm/clients/', { body: { name: 'Once more' } });

    assert.equal(proxy.seen.filter(({ path }) => path === '/v1/auth/refresh/').length, 1);
    assert.equal(kept.length, 1);
    assert.notEqual(kept[0]?.refresh, before.refresh);
    assert.equal(kept[0], tenantry.tokens);
  } finally {
    proxy.close();
  }
});

test('the lost answer of a renewal ends no sign-in', async () => {
  const proxy = new Proxy();
  const baseUrl = await proxy.listen();
  try {
    const { tokens } = await signedIn();
    assert(tokens);
    let lost = 0;
    proxy.fate = ({ path }) => path === '/v1/auth/refresh/' && lost++ === 0 ? 'lose' : 'pass';
    const tenantry = new Tenantry({ baseUrl, tokens: { ...tokens, access: 'of.another.day' } });
    assert.equal((await tenantry.get('/v1/tenant/'))[0]?.id, demo.tenant);
    assert.equal(lost, 2);
  } finally {
    proxy.close();
  }
});

test('when the renewal is refused too, the sign-in is over', async () => {
  const kept: (Tokens | undefined)[] = [];
  const tokens = { access: 'of.another.day', refresh: 'of.another.day' };
  const tenantry = new Tenantry({ baseUrl: base, tokens, onTokens: (now) => kept.push(now) });
  await assert.rejects(tenantry.get('/v1/tenant/'), is(401, 'token_not_valid'));
  assert.deepEqual(kept, [undefined]);
});

test('the company is the one that is named', async () => {
  const tenantry = await signedIn({ company: demo.tenant });
  assert((await tenantry.get('/v1/crm/clients/')).count > 0);
  tenantry.company = demo.tenant + 1000;
  await assert.rejects(tenantry.get('/v1/crm/clients/'), is(403, 'permission_denied'));
});

test('a program has a key, and what its scopes open', async () => {
  const owner = await signedIn();
  const made = await owner.post('/v1/keys/', { body: { name: 'ERP', scopes: ['clients:read'], password: demo.password } });
  const program = new Tenantry({ baseUrl: base, key: made.key });
  assert((await program.get('/v1/crm/clients/')).count > 0);
  await assert.rejects(program.post('/v1/crm/clients/', { body: { name: 'A' } }), is(403, 'permission_denied'));
  await owner.delete('/v1/keys/{id}/', { params: { path: { id: made.id } } });
  await assert.rejects(program.get('/v1/crm/clients/'), is(401, 'token_not_valid'));
});
