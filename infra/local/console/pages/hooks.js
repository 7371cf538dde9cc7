// The page of the receiver of webhooks. It shows what has come, and tells the receiver what to answer.
'use strict';

const PAUSE = 1000; // milliseconds
const SHOWN = 100;
const PATH = '/_local/hooks/';

let newest = 0; // the number of the newest delivery that is shown

async function ask(path, body) {
  const headers = { Accept: 'application/json' };
  const options = body ? { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(path, options);
  const state = await answer.json();
  if (!answer.ok) throw new Error(state.detail);
  return state;
}

// told shows what the receiver does.
function told({ answer, secrets }) {
  for (const button of document.querySelectorAll('[data-answer]')) button.setAttribute('aria-pressed', String(button.dataset.answer === answer));
  find('used').textContent = secrets ? `${secrets} in use` : '';
}

function show(list, fresh) {
  const body = find('deliveries');
  for (const row of body.querySelectorAll('tr.new')) row.classList.remove('new');
  for (const delivery of [...list].reverse()) body.prepend(row(delivery, fresh));
  while (body.children.length > SHOWN) body.lastChild.remove();
}

function row(delivery, fresh) {
  const at = make('time', { dateTime: delivery.at }, new Date(delivery.at).toLocaleString('en-GB'));
  const times = delivery.times > 1 ? make('span', { className: 'again' }, `the ${ordinal(delivery.times)} time`) : null;
  const signed = delivery.verified ? make('span', { className: 'good' }, 'verified')
    : make('span', { className: 'bad' }, `not verified: ${delivery.problem}`);
  const came = make('details', {}, make('summary', {}, `${delivery.body.length} characters`),
    make('pre', {}, delivery.headers), make('pre', {}, pretty(delivery.body)));
  return make('tr', { className: fresh ? 'new' : '' }, make('td', {}, at), make('td', {}, delivery.id || 'none', times),
    make('td', {}, make('b', {}, delivery.type)), make('td', {}, signed), make('td', {}, delivery.answer), make('td', {}, came));
}

const ordinal = (n) => `${n}${{ one: 'st', two: 'nd', few: 'rd' }[new Intl.PluralRules('en', { type: 'ordinal' }).select(n)] || 'th'}`;

// pretty is a body to read; what is no JSON stays as it is.
function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

async function tick() {
  try {
    const state = await ask(`${PATH}?after=${newest}`);
    told(state);
    if (state.newest < newest) { // the platform has begun anew
      newest = 0;
      find('deliveries').replaceChildren();
    } else {
      if (state.deliveries.length) show(state.deliveries, newest > 0);
      newest = state.newest;
    }
    find('says').textContent = find('deliveries').children.length ? '' : 'Nothing has come yet.';
    find('log').hidden = !find('deliveries').children.length;
  } catch (error) {
    find('says').textContent = `The deliveries can't be read: ${error.message}`;
  }
  setTimeout(tick, PAUSE);
}

// tell tells the receiver something, and says what is wrong with it.
async function tell(what) {
  try {
    told(await ask(PATH, what));
  } catch (error) {
    find('used').textContent = error.message;
  }
}

for (const button of document.querySelectorAll('[data-answer]')) button.addEventListener('click', () => tell({ answer: button.dataset.answer }));
find('use').addEventListener('click', () => tell({ secrets: find('secrets').value.split(/\s+/).filter(Boolean) }));

tick();
