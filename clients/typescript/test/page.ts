// What runs in a page of another origin than the platform's: it does as a web client does, and the page shows what it saw as JSON.
import { Tenantry, TenantryError } from '@tenantry/client';

/** What the test tells the page. */
export interface Plan {
  baseUrl: string;
  username: string;
  password: string;
}

/** What the page saw. */
export interface Saw {
  clients: number[];
  made: number;
  document: string;
  error: { code: string | undefined; detail: string | undefined; requestId: string | undefined };
}

async function walk({ baseUrl, username, password }: Plan): Promise<Saw> {
  const first = new Tenantry({ baseUrl });
  await first.signIn(username, password);
  if (!first.tokens) throw new Error('nobody is signed in');
  const tenantry = new Tenantry({ baseUrl, language: 'kk', tokens: { ...first.tokens, access: 'of.another.day' } });

  const clients = [];
  for await (const { id } of tenantry.list('/v1/crm/clients/', { params: { query: { pageSize: 5, ordering: 'id' } } })) clients.push(id);
  const made = await tenantry.post('/v1/crm/clients/', { body: { name: 'From a browser' } });
  const file = await tenantry.upload(new File(['of a browser'], 'Browser.txt', { type: 'text/plain' }));
  const document = await tenantry.post('/v2/documents/', { body: { source: 1, file } });
  const error = await tenantry.post('/v1/crm/clients/', { body: { name: '' } }).then(() => undefined, (thrown: unknown) => thrown);
  if (!(error instanceof TenantryError)) throw new Error(`a client without a name: ${String(error)}`);
  return {
    clients, made: made.id, document: document.name,
    error: { code: error.code, detail: error.errors[0]?.detail, requestId: error.requestId },
  };
}

const plan = await (await fetch('/plan.json')).json() as Plan;
const shown = document.querySelector('pre') as HTMLElement;
shown.textContent = JSON.stringify(await walk(plan).catch((error: Error) => ({ failed: error.stack })));
