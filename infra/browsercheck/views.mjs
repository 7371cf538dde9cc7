// Looks at the console's views in Chromium, and tells what it saw.
// It reads what to do from its first argument, a JSON file (plan in browsercheck_test.go), and prints what it saw as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const plan = JSON.parse(readFileSync(process.argv[2]));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({ executablePath: plan.chromium, args: ['--no-sandbox', '--disable-gpu'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
const saw = { elsewhere: [], broken: [], faults: [], texts: {} };
page.on('request', (request) => {
  if (request.url().startsWith('http') && !request.url().startsWith(`${plan.base}/`)) saw.elsewhere.push(request.url());
});
page.on('pageerror', (error) => saw.broken.push(error.message));
page.on('console', (message) => { // a sheet is refused below, and Chromium tells that too; after a 429 the console asks again
  if (message.type() === 'error' && !message.text().includes('429') && !message.location().url.includes('/import/')) saw.broken.push(message.text());
});

// What axe finds wrong, and where.
async function judge(what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
  }));
  saw.faults.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${what}: ${id}: ${target.join(' ')}`)));
  if (plan.shots) await page.screenshot({ path: `${plan.shots}/view-${what.replaceAll(' ', '-')}.png` });
}

const staff = async (path, body) => (await fetch(plan.base + path, {
  method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...plan.token && { Authorization: `Bearer ${plan.token}` } },
})).json();
const go = (view) => page.goto(`${plan.base}/_local/#/${view}`);
const main = page.locator('main');
const texts = (selector) => main.locator(selector).allTextContents();

// What is the machine's is shown to whoever hasn't signed in, too, and also where an answer takes longer than the pause between two.
await page.route('**/_local/hooks/', async (route) => {
  await new Promise((later) => { setTimeout(later, 1500); });
  await route.continue();
});
for (const [view, there] of Object.entries({ outbox: 'article', requests: 'tbody tr', hooks: '[aria-pressed=true]' })) {
  await go(view);
  await main.locator(there).first().waitFor();
}
saw.unsigned = await main.textContent();
await page.unrouteAll({ behavior: 'wait' });

// An old address leads to the view, which asks for a sign-in.
await page.goto(`${plan.base}/_local/schedule`);
saw.led = page.url().slice(plan.base.length);
await page.getByRole('button', { name: 'Sign in as the demo owner' }).click();

// The schedule: the fleet, and what is behind a bar, all by the keyboard.
await main.locator('.slot').first().waitFor();
saw.fleet = { items: await main.locator('.sheet li').count(), groups: await texts('.sheet h2'), days: await main.locator('.head .track span').count() };
saw.fleet.states = await page.evaluate(() => [...new Set([...document.querySelectorAll('.slot')].map((slot) => slot.classList[1]))]);
saw.fleet.right = await page.evaluate(() => Math.max(...[...document.querySelectorAll('.slot')].map((slot) => slot.getBoundingClientRect().right
  - slot.closest('.track').getBoundingClientRect().right)));
await judge('schedule');
await main.locator('.slot.out, .slot.overdue').first().focus();
await page.keyboard.press('Enter');
const dialog = page.getByRole('dialog');
await dialog.locator('.lines li').first().waitFor();
saw.order = await dialog.textContent();
await judge('schedule order');
await page.keyboard.press('Escape');
await dialog.waitFor({ state: 'detached' });
saw.focused = await page.evaluate(() => document.activeElement.className);
const swapped = main.locator('.slot.continued').first();
await swapped.click();
await dialog.getByRole('button', { name: /^Show .+ in the schedule$/ }).first().click();
await dialog.waitFor({ state: 'detached' });
await page.waitForFunction(() => document.activeElement.classList.contains('continues'));
const range = await main.locator('h1 small').textContent();
await main.getByRole('link', { name: 'Week ›' }).click();
await page.waitForFunction((before) => document.querySelector('h1 small').textContent !== before, range);
saw.week = new URL(page.url()).hash;

// The dialog behind a bar leads to the records that it tells of, and away from itself.
saw.behind = {};
for (const [kind, at] of Object.entries({ order: 'h2 a', client: 'td a', inventory: '.lines a' })) {
  await go('schedule');
  await main.locator('.slot.out').first().click();
  await dialog.locator('.lines a').first().waitFor();
  const link = dialog.locator(at).first();
  const called = await link.textContent();
  await link.click();
  await main.locator('dl.fields').first().waitFor();
  const hash = new URL(page.url()).hash;
  saw.behind[kind] = { called, hash, shown: await main.locator('h1').textContent(), dialogs: await dialog.count() };
}

// The metrics: sums, the chart by the keyboard, and what a day is made of.
await go('metrics');
await main.locator('.totals dd').first().waitFor();
saw.totals = await texts('.totals dd');
saw.types = await texts('.types li');
saw.foot = await texts('tfoot td');
await judge('metrics');
await main.locator('.column[tabindex="0"]').focus();
await page.keyboard.press('ArrowLeft');
saw.day = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
await page.keyboard.press('Enter');
await dialog.locator('.grid').waitFor(); // before it, a paragraph says that the day is being read
saw.rows = { title: await dialog.locator('h2').textContent(), text: await dialog.textContent() };
await judge('metrics day');
await dialog.click({ position: { x: 4, y: 4 } }); // its own padding
saw.padding = await dialog.isVisible();
await page.mouse.click(4, 4);
await dialog.waitFor({ state: 'detached' });

// An import: a sheet with mistakes is told cell by cell, in the language that is chosen then too; the next one is tried and then written.
const sheet = (...rows) => ({ name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(['Наименование;ИИН;Цвет', ...rows].join('\n')) });
const pick = (...rows) => main.locator('input[type=file]').setInputFiles(sheet(...rows));
const language = page.locator('header select').last();
await go('import');
await pick('Айгүл;850515300017;', ';;синий');
await main.getByRole('alert').locator('tbody tr').first().waitFor();
saw.wrong = await texts('tbody tr');
await judge('import refused');
await language.selectOption('ru');
await main.getByText('Обязательное поле.').waitFor();
await language.selectOption('en');
await main.getByText('This field is required.').waitFor();
await pick();
await main.getByText('may not be empty').waitFor();
saw.empty = await main.getByRole('alert').textContent();
await page.route('**/import/individual/**', (route) => route.fulfill({ status: 413, json: { message: 'Request Entity Too Large' } }), { times: 1 });
await pick('Айгүл;;');
await main.getByText('The answer is 413:').waitFor();
saw.large = await main.getByRole('alert').textContent();
const mixed = ['Импорт Айгүл;790312400779;белый', 'Импорт Ержан;;', 'импорт ержан;;'];
await pick(...mixed);
await main.getByText('Rows without a mistake: 3. Nothing is written yet.').waitFor();
saw.passed = await main.textContent();
await judge('import passed');
// Its answer is lost after it was written, and the view is left meanwhile: it is written once all the same.
const lose = () => page.route('**/import/individual/', async (route) => {
  await route.fetch();
  await route.abort();
}, { times: 1 });
await lose();
await main.getByRole('button', { name: 'Import the rows: 3' }).click();
await go('outbox');
await go('import');
await main.getByText('no answer came').waitFor();
await main.getByRole('button', { name: 'Import the rows: 3' }).click();
await main.getByText('Rows imported: 3.').waitFor();
await page.waitForFunction(() => document.activeElement !== document.body); // it gets there once the outcome is painted
saw.focus = await page.evaluate(() => document.activeElement.textContent);
await judge('import done');
// So is one whose page is loaded anew meanwhile.
await pick('Импорт Дана;790312400789;');
await lose();
await main.getByRole('button', { name: 'Import the rows: 1' }).click();
await main.getByText('no answer came').waitFor();
await pick('Импорт Ержан;;'); // another one in between changes nothing
await main.getByText('Rows without a mistake: 1.').waitFor();
await page.reload();
await pick('Импорт Дана;790312400789;');
await main.getByText('no answer came').waitFor();
await main.getByRole('button', { name: 'Import the rows: 1' }).click();
await main.getByText('Rows imported: 1.').waitFor();
// And the same sheet in two tabs.
const other = await context.newPage();
await other.goto(`${plan.base}/_local/#/import`);
await other.getByRole('button', { name: 'Sign in as the demo owner' }).click();
const both = [main, other.locator('main')];
for (const tab of both) await tab.locator('input[type=file]').setInputFiles(sheet('Импорт Тимур;;'));
for (const tab of both) await tab.getByText('Rows without a mistake: 1.').waitFor();
for (const tab of both) {
  await tab.getByRole('button', { name: 'Import the rows: 1' }).click();
  await tab.getByText('Rows imported: 1.').waitFor();
}
await other.close();
// And who signs out meanwhile finds it on signing in again.
await pick('Импорт Сауле;;');
let release;
const released = new Promise((resolve) => { release = resolve; });
await page.route('**/import/individual/', async (route) => {
  const response = await route.fetch();
  await released;
  await route.fulfill({ response });
}, { times: 1 });
await main.getByRole('button', { name: 'Import the rows: 1' }).click();
await main.getByText('Writing the rows: 1').waitFor();
await page.locator('header').getByRole('button', { name: 'Sign out' }).click();
await main.getByRole('button', { name: 'Sign in as the demo owner' }).waitFor();
await page.evaluate(() => { // effects come late, as on a busy machine: the answer comes between drawing and them
  const later = globalThis.setTimeout;
  globalThis.requestAnimationFrame = (step) => later(step, 1500);
  globalThis.setTimeout = (step, wait, ...rest) => later(step, Math.max(wait, 1500), ...rest);
});
await main.getByRole('button', { name: 'Sign in as the demo owner' }).click();
await main.getByText('Writing the rows: 1').waitFor();
release();
await main.getByText('Rows imported: 1.').waitFor();
await main.getByRole('link', { name: 'Show the list' }).click();
await page.reload();
await main.locator('tbody tr').first().waitFor();
saw.written = {};
for (const name of ['Айгүл', 'Ержан', 'Дана', 'Тимур', 'Сауле']) saw.written[name] = await main.locator('tbody tr', { hasText: `Импорт ${name}` }).count();
// A value that another record has leads there.
await go('import');
await pick(...mixed);
await main.getByRole('alert').getByRole('link').click();
await main.locator('h1', { hasText: 'Импорт Айгүл' }).waitFor();
// Whoever may only read is told so before a sheet is picked.
await page.route('**/v1/tenant/', async (route) => {
  const response = await route.fetch();
  await route.fulfill({ response, json: (await response.json()).map((one) => ({ ...one, role: 'read-only' })) });
}, { times: 1 });
await go('import');
await page.reload();
await main.getByText('Your role in this company only reads.').waitFor();
saw.reads = await main.locator('input').count();
await page.reload();
await main.locator('input[type=file]').waitFor();
const template = page.waitForEvent('download');
await main.getByRole('button', { name: 'Template' }).click();
saw.template = (await template).suggestedFilename();

// The outbox: a message that was just sent, with its code.
await staff('/v1/auth/reset/init/', { email: plan.runs[0].to });
await go('outbox');
const letter = main.locator('article', { hasText: plan.runs[0].to, has: page.getByRole('heading', { name: 'Your code for a new password' }) });
await letter.waitFor();
saw.letter = await letter.evaluate((of) => ({ text: of.querySelector('pre').textContent, code: of.querySelector('p code').textContent }));
await main.getByRole('searchbox').fill('nobody@nowhere');
await page.waitForFunction(() => !document.querySelector('article'));
await main.getByRole('searchbox').fill('');
await main.locator('article > pre a').first().waitFor();
saw.links = await main.locator('article > pre a').evaluateAll((links) => links.map(({ href, target }) => `${target} ${href}`));
await judge('outbox');

// Webhooks: one that leads to the receiver, a test of it, and the delivery on both sides.
await go('hooks');
await main.getByRole('button', { name: 'Create one that leads here' }).click();
await main.getByRole('button', { name: 'Test' }).first().click();
await main.locator('tr', { hasText: 'webhook.test' }).first().waitFor();
saw.came = await main.locator('tr', { hasText: 'webhook.test' }).first().textContent();
await main.getByRole('button', { name: 'Deliveries' }).first().click();
await main.locator('.grid[aria-label=Deliveries] tbody tr').first().waitFor();
saw.delivered = await main.locator('.grid[aria-label=Deliveries] tbody tr').first().textContent();
await main.getByRole('button', { name: '500', exact: true }).click();
await main.locator('button[aria-pressed=true]', { hasText: '500' }).waitFor();
saw.told = (await (await fetch(`${plan.base}/_local/hooks/`)).json()).answer;
await main.locator('summary').first().click();
await judge('hooks');

// The requests: the one that was just sent, with its calls and units.
await fetch(`${plan.base}/v1/crm/clients/?pageSize=3&search=%D0%90&access_token=nobody`, { headers: { Authorization: `Bearer ${plan.token}` } });
await go('requests');
await main.getByLabel('Path').fill('/v1/crm/clients/?pageSize=3');
const row = main.getByRole('button', { name: /pageSize=3/ }).first();
await row.click();
await main.locator('.grid .grid').waitFor();
saw.request = { path: await row.textContent(), calls: await main.locator('.grid .grid tbody tr').allTextContents(), facts: await main.locator('.grid pre').textContent() };
await main.getByLabel('Status').fill('4');
await page.waitForFunction(() => !document.querySelector('main table'));
await main.getByLabel('Status').fill('');
await judge('requests');

// Each view in the other languages, in the dark, and on a phone, where nothing is wider than the window.
saw.wide = [];
await page.setViewportSize({ width: 390, height: 844 });
await page.emulateMedia({ colorScheme: 'dark' });
for (const language of ['ru', 'kk']) {
  await page.evaluate((name) => localStorage.setItem('tenantry-language', name), language);
  for (const [view, there] of Object.entries({ schedule: '.slot', metrics: '.totals', import: 'input[type=file]', outbox: 'article', hooks: 'tbody tr', requests: 'tbody tr' })) {
    await go(view);
    await page.reload();
    await main.locator(there).first().waitFor();
    (saw.texts[language] ??= []).push(await main.locator('h1').textContent());
    await judge(`${view} ${language}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > 390) saw.wide.push(`${view} in ${language}: ${wide}`);
  }
}
console.log(JSON.stringify(saw));
await browser.close();
