import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import type { Plan, Saw } from './page.js';
import { demo, Proxy } from './platform.js';

/** As much of playwright-core as is needed here; it is installed beside `make browser-check`. */
interface Browser {
  newPage(): Promise<{
    on(event: 'pageerror', listener: (error: Error) => void): void;
    goto(url: string): Promise<unknown>;
    waitForFunction(expression: string): Promise<unknown>;
    textContent(selector: string): Promise<string | null>;
  }>;
  close(): Promise<void>;
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Clients</title><pre></pre>
<script type="importmap">{"imports": {"@tenantry/client": "/dist/index.js", "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"}}</script>
<script type="module" src="/.test/page.js"></script>`;

test('a page of another origin lists clients, makes one, and uploads', async () => {
  const proxy = new Proxy();
  const baseUrl = await proxy.listen();
  let creates = 0;
  proxy.fate = ({ method, path }) => method === 'POST' && path === '/v1/crm/clients/' && creates++ === 0 ? 'lose' : 'pass';

  const root = new URL('../', import.meta.url);
  const site = createServer(async (request, response) => {
    const path = request.url ?? '';
    const plan: Plan = { baseUrl, username: demo.username, password: demo.password };
    const files: Record<string, [string, string]> = { '/': ['text/html', PAGE], '/plan.json': ['application/json', JSON.stringify(plan)] };
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
    const page = await browser.newPage();
    page.on('pageerror', (error) => assert.fail(error));
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    await page.waitForFunction("document.querySelector('pre').textContent !== ''");
    const saw = JSON.parse(await page.textContent('pre') ?? '') as Saw & { failed?: string };
    assert.equal(saw.failed, undefined);
    assert(saw.clients.length > 10 && saw.made > Math.max(...saw.clients), `clients ${saw.clients.join()}, then ${saw.made}`);
    assert.equal(creates, 3, 'one whose answer was lost, the same again, and one without a name');
    assert.equal(saw.document, 'Browser.txt');
    assert.equal(saw.error.code, 'invalid');
    assert.match(saw.error.detail ?? '', /[әіңғүұқөһ]/);
    assert(saw.error.requestId);
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
    proxy.close();
  }
});
