// Walks through the console in Chromium as a developer does, and tells what it saw: in each language, by keyboard, on a phone, light and dark.
// It reads what to do from its first argument, a JSON file (plan in browsercheck_test.go), and prints what it saw as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const plan = JSON.parse(readFileSync(process.argv[2]));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const saw = { elsewhere: [], broken: [], faults: [], kinds: {}, views: [], languages: {}, wide: [] };
const browser = await chromium.launch({ executablePath: plan.chromium, args: ['--no-sandbox', '--disable-gpu'] });

async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', timezoneId: 'America/New_York', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('request', (request) => {
    if (request.url().startsWith('http') && !request.url().startsWith(`${plan.base}/`)) saw.elsewhere.push(request.url());
  });
  page.on('pageerror', (error) => saw.broken.push(`${page.url()}: ${error.message}`));
  // An answer that is an error is shown by the page, where the plan asks for one. After a 429 the console asks again: a test goes fast.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('429') && !(page.expects && message.text().includes(page.expects))) saw.broken.push(`${page.url()}: ${message.text()}`);
  });
  return page;
}

const shot = (page, name) => plan.shots && page.screenshot({ path: `${plan.shots}/${name}.png`, fullPage: true });

// What axe finds wrong, and where: by the rules of WCAG and good practice, or by those that are named.
async function judge(page, rules) {
  if (!await page.evaluate(() => Boolean(globalThis.axe))) await page.evaluate(axe);
  const { violations } = await page.evaluate((named) => globalThis.axe.run(document, {
    resultTypes: ['violations'],
    runOnly: named ? { type: 'rule', values: named } : { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
  }), rules);
  saw.faults.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${page.url()} ${id}: ${target.join(' ')}`)));
}
// Colours are what differs in the dark.
const bothSchemes = async (page) => {
  await judge(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await judge(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
};

// Waits until the view of an address is there and waits for nothing. What an address behind the # leads to is drawn with the next frames.
async function settled(page) {
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))); }));
  await page.waitForFunction(() => {
    const [name, kind, id] = location.hash.replace(/^#\/?/, '').split('?')[0].split('/');
    const link = document.querySelector('#console > nav a[aria-current]')?.getAttribute('href');
    const path = `#/${[name, ...name === 'kind' ? [kind] : []].join('/')}`;
    return link === path && document.querySelector('main h1') && !document.querySelector('main .reading, main p.soft[role=status]')
      && document.querySelector('main h1 code')?.textContent === (id ? `${kind}:${id}` : undefined);
  });
}
const visit = async (page, to) => {
  await page.goto(`${plan.base}/_local/${to}`);
  await settled(page);
};

const main = (page) => page.locator('main');
const text = async (locator) => (await locator.innerText()).trim();
const rows = (page) => page.locator('main .grid').first().locator('tbody tr');
const failure = async (page) => (await main(page).getByRole('alert').allInnerTexts()).join(' ');

const page = await open();
await page.goto(`${plan.base}/`);
saw.began = new URL(page.url()).pathname;
await page.getByRole('button', { name: 'Sign in as the demo owner' }).waitFor();
await bothSchemes(page);
await shot(page, 'start');
await page.getByRole('button', { name: 'Sign in as the demo owner' }).click();
await page.getByRole('button', { name: 'Sign out' }).waitFor();
saw.signedIn = await text(page.locator('header .who'));

// The lists of every kind, and the views beside them.
const links = await page.locator('#console > nav a[href^="#/"]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
for (const to of links) {
  await page.locator(`#console > nav a[href="${to}"]`).click();
  await settled(page);
  await bothSchemes(page);
  const [, view, kind] = to.split('/');
  const seen = { title: await text(page.locator('main h1')), failure: await failure(page), focus: await page.evaluate(() => document.activeElement.tagName) };
  if (view !== 'kind') {
    saw.views.push({ view, ...seen });
    await shot(page, `view-${view || 'home'}`);
    continue;
  }
  seen.count = Number((await text(page.locator('main [role=status]').first())).replace(/\D/g, ''));
  seen.rows = seen.count ? await rows(page).count() : 0;
  seen.columns = await page.locator('main thead th').allInnerTexts();
  saw.kinds[kind] = seen;
  if (!seen.rows) continue;
  // The first record, with its history and its JSON.
  const first = rows(page).first().locator('a').first();
  seen.record = await first.getAttribute('href');
  await first.click();
  await page.locator('main dl.fields').first().waitFor();
  await settled(page);
  seen.called = await text(page.locator('main h1'));
  seen.fields = await page.locator('main dl.fields').first().locator('> div').count();
  seen.referring = await page.locator('main .referring a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  seen.tabs = await page.locator('main .tabs a').allInnerTexts();
  await judge(page);
  await shot(page, `record-${kind}`);
  if (kind === 'company') page.expects = '404'; // nothing was exported yet
  for (const tab of seen.tabs.slice(1)) {
    await page.locator('main .tabs').getByRole('link', { name: tab, exact: true }).click();
    await page.locator('main .tabs a[aria-current]', { hasText: tab }).waitFor();
    await settled(page);
    seen.failure += await failure(page);
    if (tab === 'History') seen.history = await page.locator('main .entry').count();
    if (tab === 'Timeline') seen.timeline = await page.locator('main .timeline > li').count();
    if (tab === 'JSON') {
      const [curl, json] = await page.locator('main pre').allInnerTexts();
      seen.curl = curl;
      seen.json = JSON.parse(json);
    }
    if (kind === 'order' || tab === 'History') await judge(page);
  }
  // Back leads through the tabs to the list.
  for (let i = seen.tabs.length; i > 0; i--) await page.goBack();
  await settled(page);
  seen.back = new URL(page.url()).hash;
  await page.waitForLoadState('networkidle');
  page.expects = undefined;
}

// The start page counts what the company has, and shows its latest orders; where a count is refused, the others are there.
const counts = () => main(page).locator('.counts a').evaluateAll((all) => Object.fromEntries(all.map((link) => [
  link.getAttribute('href').slice('#/kind/'.length), link.querySelector('b').textContent.replaceAll(',', ''),
])));
await visit(page, '#/');
saw.home = {
  company: await text(main(page).locator('.company')), counts: await counts(), token: await main(page).locator('pre').innerText(),
  orders: await rows(page).evaluateAll((all) => all.map((row) => row.querySelector('a').hash.slice('#/kind/order/'.length))),
  row: await rows(page).first().locator('td').allInnerTexts(),
};
await page.emulateMedia({ colorScheme: 'dark' });
await shot(page, 'home-dark');
await page.emulateMedia({ colorScheme: 'light' });
await page.route('**/v1/crm/clients/?pageSize=1', (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '1' } }), { times: 1 });
await visit(page, '#/outbox');
await visit(page, '#/');
saw.home.patient = (await counts()).client;
page.expects = '500';
await page.route('**/v1/crm/clients/?pageSize=1', (route) => route.fulfill({ status: 500, json: { detail: 'busy' } }));
await visit(page, '#/outbox');
await visit(page, '#/');
saw.home.refused = await counts();
saw.home.left = await rows(page).count();
await judge(page);
await page.unroute('**/v1/crm/clients/?pageSize=1');
page.expects = undefined;

// Filters, orders and pages of clients. The custom field is one that the test has made.
await visit(page, '#/kind/client');
const add = async (name, op, value) => {
  await page.getByRole('combobox', { name: 'Filter', exact: true }).selectOption(name);
  const row = page.locator('main fieldset', { hasText: name }).last();
  if (op !== '=') await row.getByLabel('comparison').selectOption({ label: op });
  const input = row.locator('select, input').nth(1);
  if (await input.evaluate((element) => element.tagName === 'SELECT')) await input.selectOption(value);
  else await input.fill(value);
};
const clients = () => page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/crm/clients/' && response.request().method() === 'GET');
const find = async () => {
  const answered = clients();
  await page.getByRole('button', { name: 'Find' }).click();
  const answer = await answered;
  await page.waitForFunction(() => !document.querySelector('main .reading, main p.soft[role=status]'));
  return { asked: new URL(answer.url()).search, count: (await answer.json()).count, told: await text(page.locator('main [role=status]').first()), hash: new URL(page.url()).hash };
};
saw.found = [];
await add('type', '=', '1');
saw.found.push(await find());
await shot(page, 'filters');
await bothSchemes(page);
const without = clients(); // until it is asked for, the form has the rows of before
await page.getByRole('button', { name: 'Remove the filter type' }).click();
await without;
await page.waitForFunction(() => !location.hash.includes('type='));
await add('created_at', '≥', '2020-01-01');
await add('orders_debt_amount', '≥', '1');
saw.found.push(await find());
await visit(page, '#/kind/client');
await add('extra__vip', '=', 'true');
saw.found.push(await find());
saw.vip = await rows(page).first().innerText();
await visit(page, '#/kind/client');
await page.getByRole('searchbox').fill('Maria');
saw.found.push(await find());
await visit(page, '#/kind/client?pageSize=4&ordering=name');
await page.waitForFunction(() => document.querySelectorAll('main tbody tr').length === 4);
saw.sorted = await rows(page).locator('td:nth-child(2)').allInnerTexts();
await page.getByRole('button', { name: 'name', exact: false }).first().click();
await page.locator('main th[aria-sort=descending]').waitFor();
await page.waitForFunction((first) => document.querySelector('main tbody td:nth-child(2)').innerText !== first, saw.sorted[0]);
saw.reversed = await rows(page).locator('td:nth-child(2)').allInnerTexts();
await page.getByRole('link', { name: 'Next' }).click();
await page.waitForFunction((first) => document.querySelector('main tbody td:nth-child(2)').innerText !== first, saw.reversed[0]);
saw.second = { hash: new URL(page.url()).hash, rows: await rows(page).locator('td:nth-child(2)').allInnerTexts() };

// The client of an order leads to the orders of that client.
await visit(page, '#/kind/order/1');
await page.locator('main dl.fields a[href^="#/kind/client/"]').first().click();
await page.locator('main .referring').waitFor();
const client = new URL(page.url()).hash;
await page.locator('main .referring').getByRole('link', { name: 'Orders client', exact: true }).click();
await settled(page);
saw.orders = {
  client, hash: new URL(page.url()).hash, filter: await page.getByLabel('client =', { exact: true }).inputValue(),
  rows: await rows(page).count(), of: await rows(page).locator(`a[href="${client}"]`).count(),
};

// A history tells moments as the other views do, and leads to a request that is still among the last ones.
const last = page.waitForResponse('**/_local/requests'); // they are read beside the history
await visit(page, '#/kind/order/1?tab=history');
await main(page).locator('.entry td time').first().waitFor();
await (await last).finished();
await settled(page);
saw.moments = {
  shown: await main(page).locator('.entry td time').evaluateAll((all) => all.map((one) => [one.dateTime, one.title, one.innerText])),
  raw: (await main(page).locator('.entry td').allInnerTexts()).filter((cell) => /^\d{4}-\d\d-\d\dT/.test(cell)),
  old: await main(page).locator('.entry a').count(),
};
saw.changed = { id: await page.evaluate(async () => {
  const { access, tenant } = JSON.parse(sessionStorage.getItem('tenantry-session'));
  const answer = await fetch('/v1/crm/clients/1/', {
    method: 'PATCH', body: JSON.stringify({ comment: 'Changed just now.' }),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${access}`, 'X-Tenant-Id': tenant },
  });
  return answer.headers.get('Apigw-Requestid');
}) };
await visit(page, '#/kind/client/1?tab=history');
await main(page).locator('.entry').first().locator('a').click();
await main(page).locator('.within pre').waitFor();
Object.assign(saw.changed, {
  hash: new URL(page.url()).hash, rows: await main(page).locator('button[aria-expanded]').allInnerTexts(),
  facts: JSON.parse(await main(page).locator('.within pre').innerText()),
});
await bothSchemes(page);
await shot(page, 'one-request');
await main(page).getByRole('link', { name: 'Show all' }).click();
await page.waitForFunction(() => document.querySelectorAll('main button[aria-expanded]').length > 1
  && !document.querySelector('main .within'));

// A document that is signed: a file opens, a sign tells its stages, and the signing page is there.
await visit(page, '#/kind/document?signed=true');
await rows(page).first().locator('a').first().click();
await settled(page);
await page.getByRole('heading', { name: 'Signs' }).waitFor();
saw.stages = await page.locator('main .entry tbody tr').allInnerTexts();
const opened = page.context().waitForEvent('page', { timeout: 20_000 });
const told = page.waitForResponse((response) => /\/documents\/\d+\/$/.test(response.url()));
await page.locator('main').getByRole('button', { name: 'Open' }).first().click();
const { url } = await (await told).json();
await opened;
saw.file = (await (await page.request.get(url)).body()).subarray(0, 5).toString();
const signing = await page.getByRole('link', { name: 'The signing page' }).first().getAttribute('href');
saw.signing = (await page.request.get(plan.base + signing)).status();

// A token that is no longer good is renewed, and what goes wrong is told where one is.
page.expects = '401';
await page.evaluate(() => {
  const kept = JSON.parse(sessionStorage.getItem('tenantry-session'));
  sessionStorage.setItem('tenantry-session', JSON.stringify({ ...kept, access: `${kept.access}x` }));
});
await page.goto(`${plan.base}/_local/#/kind/agent`);
await page.reload();
await settled(page);
saw.renewed = await rows(page).count();
page.expects = '404';
await page.goto(`${plan.base}/_local/#/kind/client/999999`);
await page.locator('main [role=alert]').waitFor();
saw.missing = await failure(page);
await judge(page);
await visit(page, '#/kind/client?created_at__gte=2020-01-01');
page.expects = '400';
await page.goto(`${plan.base}/_local/#/kind/client?type=many`);
await page.locator('main [role=alert]').waitFor();
saw.refused = await failure(page);
saw.filters = await page.locator('main fieldset').count();
page.expects = undefined;
await visit(page, '#/kind/sms_operation/999999');
saw.nothing = await text(main(page).locator('p.soft').last());
await page.goto(`${plan.base}/_local/#/kind/%zz`);
await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
await visit(page, '#/kind/client');
await page.goto(`${plan.base}/_local/#/kind/client/..%2F..%2Ftenant`);
await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();

// What a view trips over is told in its place, and the other views go on.
await page.route('**/_local/requests', (route) => route.fulfill({ json: [null] }));
await page.goto(`${plan.base}/_local/#/requests`);
await main(page).getByRole('alert').waitFor();
await page.unroute('**/_local/requests');
await visit(page, '#/outbox');
await page.context().grantPermissions(['clipboard-write']);
await visit(page, '#/kind/client/1?tab=json');
await page.getByRole('button', { name: 'Copy' }).click();
await main(page).getByRole('status').filter({ hasText: 'Copied.' }).waitFor();

// In each language: every list and view, and a record of an order.
for (const language of ['ru', 'kk']) {
  await visit(page, '#/');
  await page.locator('header select').last().selectOption(language);
  await page.waitForFunction((to) => document.documentElement.lang === to, language);
  const seen = { titles: {}, failures: '' };
  for (const to of links) {
    await visit(page, to);
    seen.titles[to] = await text(page.locator('main h1'));
    seen.failures += await failure(page);
  }
  await visit(page, '#/');
  await bothSchemes(page);
  await shot(page, `home-${language}`);
  await visit(page, '#/kind/order/1?tab=timeline');
  seen.timeline = await text(page.locator('main .timeline li li').first());
  await bothSchemes(page);
  await shot(page, `timeline-${language}`);
  await visit(page, '#/kind/order');
  await bothSchemes(page);
  await shot(page, `list-${language}`);
  saw.languages[language] = seen;
}

// By the keyboard alone, in another tab that knows no sign-in.
const keys = await open();
await keys.goto(`${plan.base}/_local/`);
await keys.getByRole('button', { name: 'Sign in as the demo owner' }).waitFor();
const focused = () => keys.evaluate(() => {
  const at = document.activeElement;
  return { text: at.innerText || at.getAttribute('aria-label') || at.tagName, seen: getComputedStyle(at).outlineStyle !== 'none' };
});
const tabTo = async (name) => {
  for (let i = 0; i < 80; i++) {
    await keys.keyboard.press('Tab');
    const at = await focused();
    if (!at.seen) saw.broken.push(`the focus is not seen on ${at.text}`);
    if (at.text.trim() === name) return;
  }
  throw new Error(`${name} is not reached by Tab`);
};
await keys.keyboard.press('Tab');
saw.skip = (await focused()).text;
await keys.keyboard.press('Enter');
saw.skipped = await keys.evaluate(() => document.activeElement.tagName);
await tabTo('Sign in as the demo owner');
await keys.keyboard.press('Enter');
await keys.getByRole('button', { name: 'Sign out' }).waitFor();
await keys.locator('header .name').focus();
await tabTo('Clients');
await keys.keyboard.press('Enter');
await settled(keys);
saw.keyed = (await focused()).text;
await tabTo('id'); // the head of a column
await keys.keyboard.press('Enter');
await keys.locator('main th[aria-sort=ascending]').waitFor();
await settled(keys); // what is still asked for is refused once nobody is signed in
const ended = keys.waitForResponse((response) => response.url().endsWith('/v1/auth/logout/'));
await keys.getByRole('button', { name: 'Sign out' }).focus();
await keys.keyboard.press('Enter');
await keys.getByRole('button', { name: 'Sign in as the demo owner' }).waitFor();
saw.ended = (await ended).status();
await keys.context().close();

// A sign-in outlasts a server that is busy; one that has ended stays so, though its renewal comes later.
const tired = await open();
tired.expects = 'Failed to load resource';
await tired.goto(`${plan.base}/_local/`);
await tired.getByRole('button', { name: 'Sign in as the demo owner' }).click();
await tired.getByRole('button', { name: 'Sign out' }).waitFor();
const REFRESH = '**/v1/auth/refresh/';
await tired.route('**/v1/crm/clients/**', (route) => route.fulfill({ status: 401, json: {} }));
await tired.route(REFRESH, (route) => route.fulfill({ status: 429, json: { detail: 'later' } }));
await tired.goto(`${plan.base}/_local/#/kind/client`);
saw.busy = await text(main(tired).getByRole('alert'));
saw.outlasts = await tired.getByRole('button', { name: 'Sign out' }).isVisible();
await tired.unroute(REFRESH);
let held;
const renewing = new Promise((asked) => { tired.route(REFRESH, (route) => { held = route; asked(); }); });
await tired.getByRole('button', { name: 'Try again' }).click();
await renewing;
await tired.getByRole('button', { name: 'Sign out' }).click();
const renewal = tired.waitForResponse(REFRESH);
await held.fulfill({ json: { access: 'a', refresh: 'b' } });
await (await renewal).finished();
await tired.evaluate(() => new Promise((done) => { setTimeout(done, 100); }));
saw.stays = await tired.evaluate(() => sessionStorage.getItem('tenantry-session'));
await tired.context().close();

// On a phone nothing is wider than it, and the menu opens and closes.
const phone = await open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
await phone.goto(`${plan.base}/_local/`);
await phone.getByRole('button', { name: 'Sign in as the demo owner' }).tap();
await phone.getByRole('button', { name: 'Sign out' }).waitFor();
const width = async (at) => {
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  if (wide > 390) saw.wide.push(`${at}: ${wide}`);
};
const button = phone.getByRole('button', { name: 'Menu' });
await button.tap();
await phone.locator('#menu a', { hasText: 'Clients' }).waitFor();
await judge(phone);
await shot(phone, 'phone-menu');
await phone.locator('#menu a').first().focus();
await phone.keyboard.press('Escape');
saw.closed = [await button.getAttribute('aria-expanded'), await phone.evaluate(() => document.activeElement.textContent)];
for (const to of [...links, '#/kind/order/1', '#/kind/order/1?tab=history', '#/kind/order/1?tab=json', '#/kind/client?type=1&created_at__gte=2020-01-01&ordering=-name']) {
  await visit(phone, to);
  await width(to);
}
for (const [name, to] of Object.entries({
  home: '#/', list: '#/kind/client?type=1', record: '#/kind/document/11', history: '#/kind/order/1?tab=history',
})) {
  await visit(phone, to);
  await bothSchemes(phone);
  await shot(phone, `phone-${name}`);
}
await phone.emulateMedia({ colorScheme: 'dark' });
await shot(phone, 'phone-dark');

console.log(JSON.stringify(saw));
await browser.close();
