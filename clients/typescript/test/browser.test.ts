import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import type { Plan, Saw } from './page.js';
import { base, demo, Proxy } from './platform.js';

/** As much of playwright-core as is needed here; it is installed beside `make browser-check`. */
interface Page {
  on(event: 'pageerror', listener: (error: Error) => void): void;
  goto(url: string): Promise<unknown>;
  waitForFunction(expression: string): Promise<unknown>;
  textContent(selector: string): Promise<string | null>;
  evaluate<T>(expression: string): Promise<T>;
}
interface Browser {
  newContext(): Promise<{ newPage(): Promise<Page> }>;
  close(): Promise<void>;
}

const IMPORTS = `<script type="importmap">
{"imports": {"@tenantry/client": "/dist/index.js", "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"}}</script>`;
const PAGE = `<!doctype html><meta charset="utf-8"><title>Clients</title><pre></pre>${IMPORTS}<script type="module" src="/.test/page.js"></script>`;
const EMPTY = `<!doctype html><meta charset="utf-8"><title>Tabs</title>${IMPORTS}`;

/** Opens pages of another origin than the platform's, in tabs of one browser, for as long as `what` takes. */
async function browse(baseUrl: string, what: (open: (path: string) => Promise<Page>) => Promise<void>): Promise<void> {
  const root = new URL('../', import.meta.url);
  const site = createServer(async (request, response) => {
    const path = request.url ?? '';
    const plan: Plan = { baseUrl, username: demo.username, password: demo.password };
    const files: Record<string, [string, string]> = {
      '/': ['text/html', PAGE], '/empty': ['text/html', EMPTY], '/plan.json': ['application/json', JSON.stringify(plan)],
    };
    try {
      const [type, text] = files[path] ?? ['text/javascript', await readFile(new URL(`.${path}`, root), 'utf8')];
      response.writeHead(200, { 'Content-Type': type }).end(text);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => { site.listen(0, '127.0.0.1', resolve); });

  const { chromium } = createRequire(new URL('../../infra/browsercheck/', root))('playwright-core') as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--disable-gpu', '--no-first-run', '--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    const context = await browser.newContext();
    await what(async (path) => {
      const page = await context.newPage();
      page.on('pageerror', (error) => assert.fail(error));
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}${path}`);
      return page;
    });
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
  }
}

test('a page of another origin lists clients, makes one, and uploads', async () => {
  const proxy = new Proxy();
  const baseUrl = await proxy.listen();
  let creates = 0;
  proxy.fate = ({ method, path }) => method === 'POST' && path === '/v1/crm/clients/' && creates++ === 0 ? 'lose' : 'pass';
  try {
    await browse(baseUrl, async (open) => {
      const page = await open('/');
      await page.waitForFunction("document.querySelector('pre').textContent !== ''");
      const saw = JSON.parse(await page.textContent('pre') ?? '') as Saw & { failed?: string };
      assert.equal(saw.failed, undefined);
      assert(saw.clients.length > 10 && saw.made > Math.max(...saw.clients), `clients ${saw.clients.join()}, then ${saw.made}`);
      assert.equal(creates, 3, 'one whose answer was lost, the same again, and one without a name');
      assert.equal(saw.document, 'Browser.txt');
      assert.equal(saw.error.code, 'invalid');
      assert.match(saw.error.detail ?? '', /[әіңғүұқөһ]/);
      assert(saw.error.requestId);
    });
  } finally {
    proxy.close();
  }
});

test('tabs that keep the sign-in of README.md follow each other', async () => {
  await browse(base, async (open) => {
    const ask = <T>(tab: Page, expression: string) => tab.evaluate<T>(`import('/.test/kept.js').then(({ tenantry }) => ${expression})`);
    const refresh = (tab: Page) => ask<string | null>(tab, 'tenantry.tokens?.refresh ?? null');
    const follows = async (tab: Page, wanted: string | null) => {
      for (let left = 50; await refresh(tab) !== wanted; left -= 1) {
        assert(left > 0, 'it follows');
        await new Promise((resolve) => { setTimeout(resolve, 100); });
      }
    };
    const first = await open('/empty');
    await ask(first, `tenantry.signIn(${JSON.stringify(demo.username)}, ${JSON.stringify(demo.password)})`);
    const before = await refresh(first);
    const second = await open('/empty');
    assert.equal(await refresh(second), before, 'a new tab is signed in');

    const renew = "(tenantry.tokens = { ...tenantry.tokens, access: 'of.another.day' }, tenantry.get('/v1/tenant/').then(([{ id }]) => id))";
    assert.equal(await ask(first, renew), demo.tenant);
    const after = await refresh(first);
    assert.notEqual(after, before);
    await follows(second, after);
    assert.equal(await ask(second, renew), demo.tenant, 'the second tab renews what the first one got');
    await follows(first, await refresh(second));

    await ask(second, 'tenantry.signOut()');
    await follows(first, null);
  });
});
