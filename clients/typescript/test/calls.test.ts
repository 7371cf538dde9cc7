import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { TenantryError, type Item, type Schemas, type Tenantry } from '@tenantry/client';

import { Proxy, signedIn } from './platform.js';

const proxy = new Proxy();
let tenantry: Tenantry;

before(async () => {
  tenantry = await signedIn({ baseUrl: await proxy.listen() });
});
after(() => proxy.close());

/** How often requests of a method came since, and with which keys. */
function sent(method: string, since: number): { times: number; keys: Set<string | undefined> } {
  const all = proxy.seen.slice(since).filter((one) => one.method === method);
  return { times: all.length, keys: new Set(all.map(({ key }) => key)) };
}

/** Lets fates come to pass one after the other; whatever comes later passes. */
function fates(method: string, ...list: ReturnType<Proxy['fate']>[]): number {
  proxy.fate = (seen) => (seen.method === method && list.shift()) || 'pass';
  return proxy.seen.length;
}

async function named(name: string): Promise<Item<'/v1/crm/clients/'>[]> {
  const found = [];
  for await (const client of tenantry.list('/v1/crm/clients/', { params: { query: { ordering: '-id', search: name } } })) found.push(client);
  return found;
}

test('a list has the records of all its pages', async () => {
  const { count } = await tenantry.get('/v1/crm/clients/');
  const pages = [];
  for await (const page of tenantry.pages('/v1/crm/clients/', { params: { query: { ordering: 'id', pageSize: 3 } } })) pages.push(page);
  assert(count > 6 && pages.length === Math.ceil(count / 3), `${pages.length} pages of ${count}`);
  const ids = pages.flatMap(({ results }) => results.map(({ id }) => id));
  assert.equal(ids.length, count);
  assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => a - b));

  const since = proxy.seen.length;
  for await (const client of tenantry.list('/v1/crm/clients/', { params: { query: { ordering: 'id', pageSize: 3 } } })) {
    if (client.id === ids[3]) break;
  }
  assert.equal(sent('GET', since).times, 2, 'pages that nobody needs were asked for');
});

test('events are told until none is new', async () => {
  const told = async (query?: { after?: string; types?: string[] }) => {
    const events = [];
    for await (const event of tenantry.events(query)) events.push(event);
    return events;
  };
  const before = await told();
  assert.deepEqual(before.map(({ id }) => id), before.map(({ id }) => id).sort((a, b) => a - b));
  const last = before.at(-1);
  assert(last);
  const { id } = await tenantry.post('/v1/crm/clients/', { body: { name: 'Of an event' } });
  let found: string[] = [];
  // They are there about a second later, and those of other tests may be there before.
  for (let left = 100; left > 0 && !found.includes(`client:${id}`); left -= 1) {
    await new Promise((resolve) => { setTimeout(resolve, 200); });
    found = (await told({ after: String(last.id), types: ['client.created'] })).map(({ object }) => object);
  }
  assert(found.includes(`client:${id}`), found.join());
});

test('a create with the same key happens once', async () => {
  const init = { params: { header: { 'Idempotency-Key': crypto.randomUUID() } }, body: { name: 'The same' } };
  const one = await tenantry.post('/v1/crm/clients/', init);
  const other = await tenantry.post('/v1/crm/clients/', init);
  assert.equal(one.id, other.id);
  const third = await tenantry.post('/v1/crm/clients/', { body: init.body });
  assert.notEqual(third.id, one.id);
});

for (const [what, list] of [['503', [503, 503]], ['a lost answer', ['lose']], ['an answer that breaks off', ['cut']]] as const) {
  test(`after ${what}, a create is sent again with its key, and happens once`, async () => {
    const name = `Client ${crypto.randomUUID()}`;
    const since = fates('POST', ...list);
    const client = await tenantry.post('/v1/crm/clients/', { body: { name } });
    const { times, keys } = sent('POST', since);
    assert.equal(times, list.length + 1);
    assert(keys.size === 1 && !keys.has(undefined), `keys ${[...keys].join()}`);
    assert.equal((await tenantry.get('/v1/crm/clients/{id}/', { params: { path: { id: client.id } } })).name, name);
    assert.deepEqual((await named(name)).map(({ id }) => id), [client.id]);
  });
}

test('tries have an end', async () => {
  const since = fates('GET', 503, 503, 503, 503, 503);
  await assert.rejects(tenantry.get('/v1/tenant/'), (error) => error instanceof TenantryError && error.status === 503 && error.code === undefined);
  assert.equal(sent('GET', since).times, 4);
});

test('what may not happen twice is sent once', async () => {
  const since = fates('POST', 'lose');
  await assert.rejects(tenantry.post('/v1/keys/', { body: { name: 'ERP', scopes: ['clients:read'], password: 'x' } }), TypeError);
  const conditional = fates('PATCH', 503);
  const { id } = await tenantry.post('/v1/crm/clients/', { body: { name: 'Conditional' } });
  const change = { path: { id }, header: { 'If-Match': '*' } };
  await assert.rejects(tenantry.patch('/v1/crm/clients/{id}/', { params: change, body: { name: 'Changed' } }), { status: 503 });
  assert.deepEqual([sent('POST', since).times, sent('PATCH', conditional).times], [2, 1]);
});

test('who waits for another try can be stopped', async () => {
  fates('GET', 'later');
  const begun = Date.now();
  await assert.rejects(tenantry.get('/v1/tenant/', { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  assert(Date.now() - begun < 8000);
  fates('GET');
});

test('errors of fields have their pointer and code, in the language that was chosen', async () => {
  tenantry.language = 'ru';
  const failed = tenantry.post('/v1/crm/clients/', { body: { name: '', phone: '12' } });
  tenantry.language = undefined;
  await assert.rejects(failed, (error) => {
    assert(error instanceof TenantryError);
    assert.deepEqual([error.status, error.code, error.message], [400, 'invalid', 'Проверьте отмеченные поля.']);
    assert.deepEqual(error.errors.map(({ pointer, code }) => [pointer, code]), [['/name', 'blank'], ['/phone', 'invalid_phone']]);
    assert(error.requestId);
    return true;
  });
});

test('who comes second is told what is in the way', async () => {
  const time = { start_at: '2031-03-01T09:00:00Z', end_at: '2031-03-03T09:00:00Z' };
  const { results: [car] } = await tenantry.get('/v1/crm/inventories/', { params: { query: { car: true, free: true, ...time, pageSize: 1 } } });
  const { results: [client] } = await tenantry.get('/v1/crm/clients/', { params: { query: { pageSize: 1 } } });
  assert(car && client);
  const body: Schemas['OrdersCreateRequest'] = {
    client: client.id, status: 1, rent_start: time.start_at, rent_end: time.end_at, inventories: [{ inventory: car.id }],
  };
  await tenantry.post('/v1/crm/requests/', { body });
  await assert.rejects(tenantry.post('/v1/crm/requests/', { body }), (error) => {
    assert(error instanceof TenantryError);
    assert.deepEqual([error.status, error.code], [409, 'overlap']);
    assert.equal(error.problem.conflicts?.[0]?.inventory, car.id);
    return true;
  });
});

test('who changes what has changed, or what another one has, is told of that', async () => {
  const { results: [one, other] } = await tenantry.get('/v1/crm/inventories/', { params: { query: { ordering: 'id', pageSize: 2 } } });
  assert(one && other?.unique_id);
  const path = { id: one.id };
  const taken = tenantry.patch('/v1/crm/inventories/{id}/', { params: { path }, body: { unique_id: other.unique_id } });
  await assert.rejects(taken, (error) => {
    const by = error instanceof TenantryError ? error.problem.taken_by : undefined;
    return by !== undefined && !Array.isArray(by) && by['unique_id'] === other.id;
  });
  const record = await tenantry.raw('/v1/crm/inventories/{id}/', { params: { path } });
  const changed = tenantry.patch('/v1/crm/inventories/{id}/', { params: { path, header: { 'If-Match': '"999999"' } }, body: { unique_id: 'X' } });
  await assert.rejects(changed, (error) => error instanceof TenantryError && error.status === 412 && error.problem.etag === record.headers.get('ETag'));
});

const pdf = new Blob([`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`], { type: 'application/pdf' });

test('a file is uploaded, and becomes a document', async () => {
  const file = await tenantry.upload(new File([pdf], 'Scan.pdf', { type: pdf.type }));
  const document = await tenantry.post('/v2/documents/', { body: { source: 1, file } });
  assert.equal(document.name, 'Scan.pdf');
  assert.equal(document.files.length, 1);
});

test('what is no JSON comes as it is', async () => {
  const sheet = await tenantry.raw('/v1/crm/clients/import/template/', { params: { query: { kind: 'individual', format: 'csv', language: 'en' } } });
  assert.match(await sheet.text(), /^Name,Phone/);
  const { results: [client] } = await tenantry.get('/v1/crm/clients/', { params: { query: { pageSize: 1 } } });
  assert(client);
  const one = await tenantry.raw('/v1/crm/clients/{id}/', { params: { path: { id: client.id } } });
  assert.match(one.headers.get('ETag') ?? '', /^"/);
  await assert.rejects(tenantry.raw('/v1/crm/clients/{id}/', { params: { path: { id: 999_999 } } }), { name: 'TenantryError', code: 'not_found' });
});

test('a list is filtered by several values, and by custom fields', async () => {
  const all = await tenantry.get('/v1/crm/clients/', { params: { query: { ordering: 'id' } } });
  const wanted = all.results.slice(1, 3).map(({ id }) => id);
  const some = await tenantry.get('/v1/crm/clients/', { params: { query: { ordering: 'id', id__in: wanted } } });
  assert.deepEqual(some.results.map(({ id }) => id), wanted);
  assert.equal((await tenantry.get('/v1/crm/clients/', { params: { query: { extra__unknown: 'is ignored' } } })).count, all.count);
});

test('a form brings its file itself', async () => {
  const form = new FormData();
  form.set('source', '1');
  form.set('file', new File([pdf], 'Form.pdf', { type: pdf.type }));
  assert.equal((await tenantry.post('/v2/documents/', { body: form })).name, 'Form.pdf');
});

/** Never called: what must not compile. */
export async function types(): Promise<void> {
  const client = await tenantry.post('/v1/crm/clients/', { body: { name: 'Only what is required' } });
  client.email satisfies string | null;
  // @ts-expect-error: a client has a name
  await tenantry.post('/v1/crm/clients/', { body: {} });
  // @ts-expect-error: not of a client
  await tenantry.post('/v1/crm/clients/', { body: { name: 'A', nme: 'B' } });
  // @ts-expect-error: an order has another status
  await tenantry.post('/v1/crm/requests/', { body: { status: 9 } });
  // @ts-expect-error: the path needs its id
  await tenantry.get('/v1/crm/clients/{id}/');
  // @ts-expect-error: no such filter
  await tenantry.get('/v1/crm/clients/', { params: { query: { nme: 'A' } } });
  // @ts-expect-error: no such path
  await tenantry.get('/v1/crm/customers/');
  // @ts-expect-error: no list
  tenantry.list('/v1/tenant/');
  // @ts-expect-error: takes no form
  await tenantry.post('/v1/crm/clients/', { body: new FormData() });
}
