// Signs documents in Chromium as their signers do, and tells what the pages showed and what the sealed files say.
// It reads what to do from its first argument, a JSON file (plan in browsercheck_test.go), and prints what it saw as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, devices } from 'playwright-core';

const plan = JSON.parse(readFileSync(process.argv[2]));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { ...devices['Pixel 7'] };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

// The code that was sent last to a telephone.
async function codeFor(phone, after) {
  for (;;) {
    const sent = await (await fetch(`${plan.base}/_local/outbox/`, { headers: { Accept: 'application/json' } })).json();
    const code = sent.filter((m) => m.to === phone && Date.parse(m.at) >= after).map((m) => /\b\d{6}\b/.exec(m.text)).find(Boolean);
    if (code) return code[0];
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
}

// What axe finds wrong, and where.
async function faults(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
  }));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

// The text of a PDF, and the file that it holds, as pdf.js reads them.
async function sealed(page) {
  return page.evaluate(async () => {
    const { pdfjs, view } = JSON.parse(document.getElementById('data').textContent);
    const own = await (await fetch(`/v2/documents/${view.sign.uuid}/`)).json();
    const { url } = await (await fetch(new URL(own.sealed.file).pathname, { headers: { Accept: 'application/json' } })).json();
    const data = new Uint8Array(await (await fetch(url)).arrayBuffer());
    const lib = await import(`${pdfjs}pdf.min.mjs`);
    const doc = await lib.getDocument({ data, isEvalSupported: false, useWasm: false, standardFontDataUrl: pdfjs }).promise;
    const pages = [];
    for (let number = 1; number <= doc.numPages; number += 1) {
      const { items } = await (await doc.getPage(number)).getTextContent();
      pages.push(items.map((item) => item.str).join(' '));
    }
    const { content } = Object.values(await doc.getAttachments()).find(({ filename }) => filename === 'audit.json');
    return { text: pages.join('\n'), audit: JSON.parse(new TextDecoder().decode(content)) };
  });
}

async function staff(path, body) {
  const answer = await fetch(plan.base + path, {
    method: 'PATCH', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${plan.token}` }, body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

// Signs one document, and tells what it saw.
async function sign(browser, run) {
  const saw = { asked: [], faults: [], said: [] };
  const context = await browser.newContext({ ...(run.phone ? PHONE : DESKTOP), locale: run.locale, timezoneId: 'America/New_York',
    ignoreHTTPSErrors: run.way === 'egov' }); // NCALayer's certificate is of its own
  const page = await context.newPage();
  const shot = (name) => plan.shots && page.screenshot({ path: `${plan.shots}/${run.language}-${run.way}-${name}.png`, fullPage: true });
  const drawn = () => page.locator('#pages .page canvas').first().waitFor();
  page.on('pageerror', (e) => saw.faults.push(String(e)));
  page.on('request', (r) => { if (/\/(sign\/(confirm\/)?|eds\/)$/.test(r.url()) && r.method() === 'POST') saw.asked.push(r.postDataJSON()); });
  const begun = Date.now();
  const ask = async () => {
    await page.locator(`#agree-${run.way}`).check();
    await page.locator('.consent:not([hidden]) button').click();
  };
  // Staff changes the document, and the page says so: it keeps nothing that was agreed to, and what it asked for was refused.
  const changed = async (act) => {
    const before = saw.asked.length;
    await act();
    await page.waitForFunction((text) => document.getElementById('says').textContent === text, run.change.says);
    await page.locator('#pages').getByText(run.change.shows).first().waitFor();
    saw.panel = await page.locator('#code-panel').isVisible();
    saw.agreed = await page.locator(`#agree-${run.way}`).isChecked();
    saw.refused = saw.asked.splice(before);
    await shot('changed');
  };
  let release = null;
  const bytes = /\/v2\/documents\/[^/]+\/documents\/\d+\/$/;
  if (run.change?.loading) {
    const held = new Promise((resolve) => { release = resolve; });
    await page.route(bytes, async (route) => { await held; await route.continue(); });
  }
  await page.goto(plan.base + run.path);
  saw.language = await page.evaluate(() => document.documentElement.lang);
  if (release) {
    await changed(async () => {
      await page.locator(`input[value=${run.way}]`).check();
      await ask();
      await staff(run.change.path, run.change.body);
      release();
    });
    await page.unroute(bytes);
  }
  await drawn();
  const day = page.locator('.title time');
  saw.day = [await day.getAttribute('datetime'), await day.textContent()];
  saw.computer = await page.locator('#no-egov').isVisible();
  await page.locator(`input[value=${run.way}]`).check();
  await shot('choose');
  saw.faults.push(...await faults(page));
  saw.consent = await page.locator('.consent:not([hidden]) .agree span').textContent();
  if (run.change && !release) {
    await changed(async () => {
      await staff(run.change.path, run.change.body);
      await ask();
    });
  }
  await ask();
  if (run.way === 'sms') {
    await page.locator('#code-panel').waitFor();
    await shot('code');
    saw.faults.push(...await faults(page));
    await page.locator('#code').fill(await codeFor(run.to, begun));
    await page.locator('#code-panel button.main').click();
  }
  await page.locator('#state[data-step=sealed]').waitFor();
  await shot('sealed');
  saw.faults.push(...await faults(page));
  Object.assign(saw, await sealed(page));
  await context.close();
  return saw;
}

// What /verify/ says of a file that isn't a PDF.
async function verify(browser) {
  const context = await browser.newContext({ ...PHONE, locale: 'ru-RU' });
  const page = await context.newPage();
  let asked = 0;
  page.on('request', (r) => { if (r.url().includes('/v2/documents/verify/')) asked += 1; });
  await page.goto(`${plan.base}/verify/`);
  await page.locator('#pick').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG') });
  await page.waitForFunction(() => document.getElementById('says').textContent !== '');
  const saw = { says: await page.locator('#says').textContent(), asked, faults: await faults(page) };
  if (plan.shots) await page.screenshot({ path: `${plan.shots}/verify.png`, fullPage: true });
  await context.close();
  return saw;
}

const root = process.getuid && process.getuid() === 0;
const browser = await chromium.launch({
  executablePath: plan.chromium,
  args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', ...(root ? ['--no-sandbox'] : [])],
});
try {
  const runs = [];
  for (const run of plan.runs) runs.push(await sign(browser, run));
  process.stdout.write(JSON.stringify({ runs, verify: await verify(browser) }));
} finally {
  await browser.close();
}
