// The page on which a signer reads a document, and signs or rejects it.
import { bytesOf, call, now, Refusal } from './api.mjs';
import { $, busy, data, localTimes, moment, say, texts } from './dom.mjs';
import * as ncalayer from './ncalayer.mjs';
import { SHA256 } from './sha256.mjs';
import { canReject, clock, digits, fill, meaning, ownOf, pause, stepOf, ways, whenOf, EGOV, SMS } from './steps.mjs';
import { Viewer } from './viewer.mjs';

const WAYS = { [SMS]: 'sms', [EGOV]: 'egov' };
const { language } = data;
let { view } = data;
const shownTexts = view.consent; // what the page asks the signer to agree to; later views may be in another language
let step = '';
let choosing = false; // the signer has a code and chooses another way
let held = null; // the document's bytes, as a promise
let showing = null; // what is being done to show them, as a promise
let drawn = ''; // the SHA-256 of the bytes that the signer has before him
let asked = 0; // how often the page asked whether the file is sealed
let timer = 0;

const sumOf = ({ file }) => (file ? file.sha256 : '');
// Whether a view in the page's language has other texts to agree to than the page, which is older then.
const hasOtherTexts = ({ consent }) => Object.entries(shownTexts).some(
  ([kind, { id }]) => consent[kind].language === language && consent[kind].id !== id,
);
// Whether two views are of different documents to sign. A document that had no file yet was not read.
const isOther = (a, b) => a.name !== b.name || Boolean(a.file && b.file && sumOf(a) !== sumOf(b));

const base = `/v2/documents/${view.sign.uuid}/`;
const addressOf = (file) => `${base}documents/${file.id}/`;
const read = () => call(`${base}?language=${language}`);
const post = (path, json) => call(`${base}${path}`, { method: 'POST', json });

// ------------------------------------------------------------------------------------------------------- the document

const viewer = new Viewer({
  root: $('pages'),
  folder: data.pdfjs,
  zoom: { out: $('zoom-out'), in: $('zoom-in'), is: $('zoom-is') },
  label: (page, pages) => fill(texts.page_of, { page, pages }),
  failed: texts.page_failed,
});

// Reads the document, and believes it only when it is what the view says is signed.
async function load(file) {
  const bytes = await bytesOf(addressOf(file), file.size, (part) => {
    $('document-says').textContent = fill(texts.loading_part, { percent: Math.round(part * 100) });
  });
  if (new SHA256().update(bytes).hex() !== file.sha256) throw new Error('unlike');
  return bytes;
}

function showDocument() {
  showing = draw();
  return showing;
}

async function draw() {
  const { file } = view;
  drawn = '';
  if (!file) return;
  if ($('file')) $('file').href = addressOf(file);
  say($('document-says'), texts.loading);
  const loaded = load(file);
  held = loaded;
  try {
    const bytes = await loaded;
    if (held === loaded) await viewer.show(bytes.slice());
    if (held !== loaded) return;
    $('zoom').hidden = false;
    say($('document-says'), '');
  } catch (e) {
    if (held !== loaded) return;
    say($('document-says'), e.message === 'unlike' ? texts.document_unlike : texts.document_failed);
    // It may have changed between the view and the bytes.
    if (e.message === 'unlike') await refresh();
  }
  // Who can't be shown the bytes that are there has the link to them.
  if (held === loaded) drawn = await loaded.then(() => file.sha256, () => '');
}

// Waits until the signer has before him what he has agreed to. It returns the SHA-256 of its bytes; or it says that they can't be had,
// or that the document has changed since, and returns nothing.
async function whatIsRead(place) {
  const agreed = view;
  for (let doing = null; doing !== showing;) {
    doing = showing;
    await doing;
  }
  if (!drawn) await showDocument();
  if (isOther(agreed, view)) {
    say(place, texts.document_changed);
    return '';
  }
  if (!drawn) say(place, texts.read_first);
  return drawn;
}

// ------------------------------------------------------------------------------------------------------------- states

// Takes a newer view, and tells whether what is signed is another than before: then it has to be read and agreed to again, and a code
// that was sent for it is of no use.
function take(fresh) {
  if (!fresh || !fresh.sign) return false;
  if (hasOtherTexts(fresh)) {
    window.location.reload();
    return true;
  }
  const changed = isOther(view, fresh);
  const isToShow = sumOf(view) !== sumOf(fresh) && fresh.file;
  view = fresh;
  $('name').textContent = view.name;
  document.title = `${view.name} — ${view.company.name}`;
  if (changed) {
    choosing = true;
    for (const agree of document.querySelectorAll('.agree input')) agree.checked = false;
  }
  show();
  if (changed) say($('says'), texts.document_changed);
  if (isToShow) showDocument();
  return changed;
}

// Reads the view again, and tells whether what is signed has changed. Where it can't be read, what was shown stays, and what
// was refused is said by whoever asked.
async function refresh() {
  return read().then(take, () => false);
}

function show() {
  const was = step;
  step = choosing && stepOf(view) === 'code' ? 'choose' : stepOf(view);
  $('state').dataset.step = step;
  const line = fill(texts.steps[step], { date: moment(whenOf(view)) });
  if ($('state').textContent !== line) $('state').textContent = line;
  $('choose').hidden = step !== 'choose';
  $('code-panel').hidden = step !== 'code';
  const sealed = step === 'sealed' || (step === 'withdrawn' && view.sealed);
  $('done').hidden = !sealed;
  if (sealed) $('sealed').href = addressOf(view.sealed);
  if ($('no-egov')) $('no-egov').hidden = step !== 'choose' || !onTelephone();
  if ($('no-phone')) $('no-phone').hidden = step !== 'choose' && step !== 'office';
  $('reject').hidden = !canReject(view) || step === 'nothing';
  $('to-signing').hidden = step !== 'choose' && step !== 'code';
  if (step === 'choose') showWay();
  if (step === 'code') tick();
  showSigners();
  if (was && was !== step) focusOn(step);
  if (was !== step) asked = 0;
  if (step === 'sealing') later();
}

function focusOn(to) {
  if (to === 'code') $('code').focus();
  else $('signing').focus({ preventScroll: to === 'choose' });
}

function showSigners() {
  const own = ownOf(view);
  const small = (text) => {
    const part = document.createElement('small');
    part.textContent = ` (${text})`;
    return part;
  };
  $('signers').replaceChildren(...view.signs.map((sign, i) => {
    const row = document.createElement('li');
    const who = document.createElement('span');
    const how = document.createElement('span');
    row.dataset.status = sign.status;
    who.className = 'who';
    how.className = 'how';
    who.append(sign.name);
    how.append(texts.states[sign.status] || '');
    if (i === own) who.append(small(texts.you));
    if (sign.status === 5 && texts.methods[sign.method]) how.append(small(texts.methods[sign.method]));
    row.append(who, ' ', how);
    return row;
  }));
}

// Asks now and then whether the sealed file is there, while somebody looks.
function later() {
  const seconds = pause(asked);
  if (seconds === null) return;
  asked += 1;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if (document.visibilityState === 'visible') await refresh();
    if (step === 'sealing') later();
  }, seconds * 1000);
}

// Says what a refusal means at a place, and reads the view again where it may have changed. It tells whether it has.
async function refused(e, what, place = $('says')) {
  if (!(e instanceof Refusal)) throw e;
  const { text, detail, wait, reload } = meaning(texts, e, what);
  say(place, fill(text, { time: clock(wait || 0), date: moment(now() + (wait || 0) * 1000) }), detail);
  return reload ? refresh() : false;
}

// ------------------------------------------------------------------------------------------------------------ signing

function way() {
  const chosen = $('choose').querySelector('input[name=way]:checked');
  return chosen ? chosen.value : '';
}

// On a telephone there is no NCALayer.
function onTelephone() {
  return matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches;
}

function showWay() {
  const able = ways(view).map((m) => WAYS[m]);
  if (!able.includes(way())) {
    const first = able.includes('sms') && (able[0] === 'sms' || onTelephone()) ? 'sms' : able[0];
    const input = $('choose').querySelector(`input[value=${first}]`);
    if (input) input.checked = true;
  }
  for (const part of $('choose').querySelectorAll('.consent')) part.hidden = part.dataset.way !== way();
}

// What the signer has agreed to beside the bytes: the document's name, and what a signature in this way means.
function agreedTo(kind) {
  return { name: view.name, language, consent: shownTexts[kind].id };
}

// The code that was sent last and is still good, by its id.
const codeOf = ({ sign }) => (sign.confirm ? sign.confirm.confirm_id : '');

async function askForCode(place) {
  const sha256 = await whatIsRead(place);
  if (!sha256) return;
  try {
    await post('sign/', { sha256, ...agreedTo('sms') });
    choosing = false;
    $('code').value = '';
    say($('code-wrong'), '');
    // No code is entered before the page has read again: if the document has another name, the signer is told.
    if (take(await read())) return;
    say($('says'), texts.code_sent);
    if (step === 'code') $('code').focus();
  } catch (e) {
    const before = codeOf(view);
    await refused(e, 'sign', place);
    if (e.status !== 429) return;
    await refresh(); // the code may have been sent, and the answer lost
    if (codeOf(view) && codeOf(view) !== before) {
      choosing = false;
      show();
    }
  }
}

async function signByKey() {
  const progress = (text) => say($('says'), text);
  if (!(await whatIsRead($('says')))) return;
  const agreed = agreedTo('egov');
  let cms;
  try {
    const bytes = await held;
    const encoded = await new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
      reader.onerror = reject;
      reader.readAsDataURL(new Blob([bytes]));
    });
    progress(texts.nca_connecting);
    cms = await ncalayer.sign({ address: data.ncalayer, data: encoded, locale: language, connected: () => progress(texts.nca_waiting) });
  } catch (e) {
    if (e instanceof Refusal) await refused(e, 'eds');
    else if (e.kind) progress(fill(texts[`nca_${e.kind}`], { message: e.said || '' }));
    else progress(e.message === 'unlike' ? texts.document_unlike : texts.failed);
    return;
  }
  progress(texts.nca_checking);
  try {
    take(await post('eds/', { cms, ...agreed }));
    progress('');
  } catch (e) {
    await refused(e, 'eds');
  }
}

$('choose').addEventListener('change', showWay);
$('choose').addEventListener('submit', (event) => {
  event.preventDefault();
  const agree = $(`agree-${way()}`);
  const wrong = $(`agree-${way()}-wrong`);
  say($('says'), '');
  if (!agree.checked) {
    agree.setAttribute('aria-invalid', 'true');
    say(wrong, texts.agree_first);
    agree.focus();
    return;
  }
  agree.removeAttribute('aria-invalid');
  say(wrong, '');
  const button = $('choose').querySelector('.consent:not([hidden]) button');
  busy(button, () => (way() === 'sms' ? askForCode($('says')) : signByKey()));
});

// --------------------------------------------------------------------------------------------------------------- code

// Counts down to the next code, and to the end of this one.
function tick() {
  const { confirm } = view.sign;
  if (step !== 'code' || !confirm) return;
  const again = (Date.parse(confirm.retry_at) - now()) / 1000;
  const left = (Date.parse(confirm.expires_at) - now()) / 1000;
  $('resend').setAttribute('aria-disabled', String(again > 0));
  $('resend-time').textContent = again > 0 ? fill(texts.code_again, { time: clock(again) }) : '';
  const tries = confirm.tries_left >= 0 && confirm.tries_left < 5 ? ` ${fill(texts.code_left, { left: confirm.tries_left })}` : '';
  $('code-time').textContent = (left > 0 ? fill(texts.code_expires, { time: clock(left) }) : texts.code_old) + tries;
  clearTimeout(tick.timer);
  tick.timer = setTimeout(tick, 1000);
}

function codeIsWrong(text) {
  $('code').setAttribute('aria-invalid', 'true');
  say($('code-wrong'), text);
  $('code').focus();
  $('code').select();
}

$('code-panel').addEventListener('submit', (event) => {
  event.preventDefault();
  const code = digits($('code').value);
  say($('says'), '');
  if (code.length !== 6) {
    codeIsWrong(texts.code_first);
    return;
  }
  busy($('code-panel').querySelector('button.main'), async () => {
    if (!(await whatIsRead($('code-wrong'))) || step !== 'code') return;
    try {
      const fresh = await post('sign/confirm/', { confirm_id: view.sign.confirm.confirm_id, code });
      $('code').removeAttribute('aria-invalid');
      say($('code-wrong'), '');
      take(fresh);
    } catch (e) {
      const changed = await refused(e, 'code', $('code-wrong'));
      if (e.status !== 400 || changed) return;
      const { confirm } = view.sign;
      const dead = !confirm || confirm.tries_left === 0 || Date.parse(confirm.expires_at) <= now();
      if (step === 'code') codeIsWrong(dead ? texts.code_dead : texts.code_wrong);
      else say($('says'), texts.code_dead);
    }
  });
});

$('resend').addEventListener('click', () => {
  if ($('resend').getAttribute('aria-disabled') === 'true') return;
  busy($('resend'), () => askForCode($('code-wrong')));
});

if ($('back')) {
  $('back').addEventListener('click', () => {
    choosing = true;
    say($('says'), '');
    show();
  });
}

// ------------------------------------------------------------------------------------------------------------- reject

$('reject-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const reason = $('reason').value.trim();
  if (!reason) {
    $('reason').setAttribute('aria-invalid', 'true');
    say($('reason-wrong'), texts.reason_first);
    $('reason').focus();
    return;
  }
  $('reason').removeAttribute('aria-invalid');
  say($('reason-wrong'), '');
  busy($('reject-form').querySelector('button'), async () => {
    try {
      take(await post('reject/', { reason }));
      say($('says'), '');
    } catch (e) {
      await refused(e, 'reject', $('reason-wrong'));
    }
  });
});

// -------------------------------------------------------------------------------------------------------------- start

// Tells that the signer has opened the page: once, and only when it is really seen.
async function opened() {
  if (document.visibilityState !== 'visible' || document.prerendering) return;
  document.removeEventListener('visibilitychange', opened);
  if (view.withdrawn || view.paused === 'suspended' || view.sign.status > 1) return;
  try {
    take(await post('open/', {}));
  } catch (e) {
    await refused(e, 'sign');
  }
}

// The bar at the foot of a narrow page is not needed where what it leads to is in sight.
new IntersectionObserver(([{ isIntersecting }]) => {
  $('to-signing').classList.toggle('away', isIntersecting);
}).observe($('signing'));

localTimes();
show();
document.addEventListener('visibilitychange', opened);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && ['waiting', 'sealing', 'code'].includes(step)) refresh();
});
opened();
showDocument();
