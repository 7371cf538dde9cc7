// The page to which the issuer of this machine sends people back. It does what a web client does, and asks nobody but the platform.
'use strict';

const { home, demo } = document.currentScript.dataset;
const find = (id) => document.getElementById(id);

// What the client remembers while the person is away: what was begun, and the verifier of a sign-in.
const memory = {
  get: () => JSON.parse(sessionStorage.getItem('google') || 'null'),
  set: (what) => sessionStorage.setItem('google', JSON.stringify(what)),
  clear: () => sessionStorage.removeItem('google'),
};

async function call(method, path, body, token) {
  const headers = {};
  if (body) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, location: answer.headers.get('Location'), body: text ? JSON.parse(text) : null };
}

async function demoToken() {
  const { body: user } = await call('GET', '/_local/demo/');
  const { status, body } = await call('POST', '/v1/auth/login/', { username: user.username, password: user.password });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.access;
}

function show(title, what) {
  find('said').textContent = title;
  find('answer').textContent = what;
  find('result').hidden = false;
}

const say = ({ status, body }) => `${status}${body ? ` ${JSON.stringify(body, null, 2)}` : ''}`;

const encoded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

async function begin(what, answer, address, verifier) {
  if (answer.status !== 200) return show('It did not begin', say(answer));
  memory.set({ what, verifier });
  location.assign(address);
}

async function link() {
  const answer = await call('GET', '/v1/auth/google/auth-url/', null, await demoToken());
  await begin('link', answer, answer.location);
}

async function login() {
  const verifier = encoded(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = encoded(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  const answer = await call('POST', '/v1/auth/google/login/init/', { code_challenge: challenge });
  await begin('login', answer, answer.body.url, verifier);
}

async function unlink() {
  const answer = await call('DELETE', '/v1/auth/google/callback/', null, await demoToken());
  show(answer.status === 204 ? 'Nothing is linked any more' : 'Nothing was unlinked', say(answer));
}

async function finishLink(code, state) {
  const answer = await call('POST', '/v1/auth/google/callback/', { code, state }, await demoToken());
  show(answer.status === 200 ? 'It is linked, and the outbox has a mail about it' : 'It was not linked', say(answer));
}

async function finishLogin(code, state, verifier) {
  const answer = await call('POST', '/v1/auth/google/login/', { code, state, code_verifier: verifier });
  if (answer.status !== 200) return show('Nobody is signed in', say(answer));
  const profile = await call('GET', '/v1/auth/profile/', null, answer.body.access);
  show(`Signed in as ${profile.body.email}`, `${say(answer)}\n\nGET /v1/auth/profile/\n${say(profile)}`);
}

// press runs what a button does, once at a time.
function press(id, act) {
  const button = find(id);
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await act();
    } catch (error) {
      show('It failed', error.message);
    }
    button.disabled = false;
  });
}

function returned(query) {
  const began = memory.get();
  const [code, state] = [query.get('code'), query.get('state')];
  history.replaceState(null, '', location.pathname); // they belong into no history
  memory.clear();
  find('start').hidden = true;
  find('returned').hidden = false;
  find('code').textContent = code || '–';
  find('state').textContent = state;
  if (!code) {
    find('finish').hidden = true;
    return show('The issuer sent no code', query.get('error'));
  }
  const signsIn = began && began.what === 'login';
  find('finish').textContent = signsIn ? 'Finish signing in' : 'Finish linking';
  find('finishing').textContent = signsIn
    ? 'POST /v1/auth/google/login/ with code, state and code_verifier'
    : 'POST /v1/auth/google/callback/ with code and state, as the demo user';
  press('finish', () => (signsIn ? finishLogin(code, state, began.verifier) : finishLink(code, state)));
}

const query = new URLSearchParams(location.search);
if (location.origin !== home) {
  location.replace(home + location.pathname + location.search); // the issuer sends people there: only there they are remembered
} else if (query.has('state')) {
  returned(query);
} else {
  press('link', link);
  press('login', login);
  press('unlink', unlink);
  if (demo !== 'true') for (const id of ['link', 'unlink']) find(id).disabled = true;
}
