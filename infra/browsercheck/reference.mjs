// Reads the reference in Chromium as a newcomer does, and tells what it saw.
// It reads what to do from its first argument, a JSON file (plan in browsercheck_test.go), and prints what it saw as JSON.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const plan = JSON.parse(readFileSync(process.argv[2]));
const browser = await chromium.launch({ executablePath: plan.chromium, args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
page.setDefaultTimeout(120_000); // the page has the whole description to read
const saw = { elsewhere: [], broken: [] };
page.on('request', (request) => {
  if (request.url().startsWith('http') && !request.url().startsWith(`${plan.base}/`)) saw.elsewhere.push(request.url());
});
page.on('pageerror', (error) => saw.broken.push(error.message));
page.on('console', (message) => {
  if (message.type() === 'error') saw.broken.push(message.text());
});

await page.goto(`${plan.base}/_local/docs/#operations/tag/clients/GET/v1/crm/clients/`);
await page.getByRole('button', { name: 'Authorize as the demo owner' }).click();
await page.waitForFunction(() => document.getElementById('authorized').textContent);
saw.authorized = await page.locator('#authorized').textContent();

const sample = page.locator('pre', { hasText: /curl \S+\/v1\/crm\/clients\/\s/ }).first();
await sample.waitFor();
saw.curl = await sample.textContent();
saw.width = await page.locator('#description').evaluate((element) => element.getBoundingClientRect().width);

await page.keyboard.press('Control+k');
await page.keyboard.type('hand out');
const found = page.getByRole('option', { name: /Reserve, hand out, take back or cancel an order/ });
await found.waitFor();
saw.found = (await found.textContent()).trim();
if (plan.shots) await page.screenshot({ path: `${plan.shots}/reference.png` });
await page.keyboard.press('Escape');

await page.goto(`${plan.base}/_local/docs/#guides/description/orders`);
await page.reload();
await page.getByRole('heading', { name: 'First steps' }).waitFor();
saw.guides = await page.locator('#description h1, #description h2').allTextContents();
if (plan.shots) await page.screenshot({ path: `${plan.shots}/guides.png` });
console.log(JSON.stringify(saw));
await browser.close();
