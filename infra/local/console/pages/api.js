// How the console asks the API: as any client of it would, and nobody else. What the platform keeps for developers alone is below /_local/.
import { language, say } from './texts.js';

// The sign-in lives as long as the tab. A token lives an hour, and the refresh token gives the next one once.
const KEPT = 'tenantry-session';
let session = JSON.parse(sessionStorage.getItem(KEPT));
let companies = [];
const watchers = new Set();

function keep(next) {
  session = next;
  if (next) sessionStorage.setItem(KEPT, JSON.stringify(next));
  else sessionStorage.removeItem(KEPT);
  for (const watcher of watchers) watcher();
}

// watch calls a function whenever the sign-in changes, and returns what ends that.
export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

// who is signed in: {username, tenant}; null: nobody.
export const who = () => session;
// The companies of who is signed in, and the one that is looked at.
export const mine = () => companies;
export const company = () => companies.find((one) => one.id === session?.tenant);

// What the gateway refuses, before the API is asked, has no words for people.
const GATEWAY = { 413: () => say('too_large'), 429: () => say('busy'), 504: () => say('too_slow') };

// A Problem is an answer that is an error: its status, its body, and what it says.
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail || GATEWAY[status]?.() || (typeof body === 'string' ? body : JSON.stringify(body)));
    Object.assign(this, { status, body });
  }
}

// patiently is fetch, again after 429: such a request wasn't carried out, and who looks around fast asks for more than is let in at once.
async function patiently(path, options) {
  for (let left = 3; ; left--) {
    const answer = await fetch(path, options).catch(() => { throw new Error(say('offline')); });
    const seconds = Number(answer.headers.get('Retry-After') ?? 1);
    if (answer.status !== 429 || left === 0 || !(seconds <= 5)) return answer;
    await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
  }
}

// ask sends a body as JSON, or a form as it is. What comes is JSON, or what `as` says: a blob.
async function ask(path, { method = 'GET', body, headers, as } = {}) {
  const form = body instanceof FormData;
  const answer = await patiently(path, {
    method,
    headers: {
      Accept: 'application/json', 'Accept-Language': language(), ...body && !form && { 'Content-Type': 'application/json' }, ...headers,
    },
    body: form ? body : body && JSON.stringify(body),
  });
  if (as && answer.ok) return answer[as]();
  const text = await answer.text();
  let said = text;
  try {
    said = text ? JSON.parse(text) : null;
  } catch { /* it is no JSON, and is told as it is */ }
  if (!answer.ok) throw new Problem(answer.status, said);
  return said;
}

// local asks what only the platform on this machine has, at a path below /_local/.
export const local = (path, options) => ask(`/_local/${path}`, options);

// address is a path with a query, without the values that are empty.
export function address(path, query = {}) {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '' && value !== undefined && value !== null));
  return given.size ? `${path}?${given}` : path;
}

const signed = ({ access, tenant }) => ({ Authorization: `Bearer ${access}`, ...tenant && { 'X-Tenant-Id': tenant } });

// A refresh token that is used twice ends the sign-in, so that all who need a new token wait for the same one. What comes of it belongs to
// the sign-in that was renewed: whoever has signed out meanwhile stays so. A refused token ends the sign-in; a busy server doesn't.
let renewal = {};
function renew() {
  const used = session.refresh;
  const lasts = () => session?.refresh === used;
  if (renewal.used !== used) {
    const done = ask('/v1/auth/refresh/', { method: 'POST', body: { refresh: used } })
      .then(({ access, refresh }) => { if (lasts()) keep({ ...session, access, refresh: refresh || used }); }, (error) => {
        if (error.status === 401 && lasts()) keep(null);
        throw error;
      }).finally(() => { if (renewal.used === used) renewal = {}; });
    renewal = { used, done };
  }
  return renewal.done;
}

// call asks the API with the sign-in, and once more with a new token if the old one is no longer good. It never asks for somebody else.
export async function call(path, options = {}) {
  if (!session) return ask(path, options);
  const { username, tenant, access } = session;
  const same = () => session?.username === username;
  try {
    return await ask(path, { ...options, headers: { ...options.headers, ...signed({ access, tenant }) } });
  } catch (error) {
    if (error.status !== 401 || !same()) throw error;
    if (session.access === access) await renew();
    if (!same()) throw error;
  }
  return ask(path, { ...options, headers: { ...options.headers, ...signed({ access: session.access, tenant }) } });
}

export const read = (path, query, as) => call(address(path, query), { as });

// all reads every page of a list.
export async function all(path, query = {}) {
  const list = [];
  for (let page = 1, more = true; more; page++) {
    const answer = await read(path, { ...query, pageSize: 500, page });
    list.push(...answer.results);
    more = answer.next !== null;
  }
  return list;
}

// signIn signs somebody in, in a company of theirs: the one that is named, else the newest.
export async function signIn({ username, password, tenant }) {
  const { access, refresh } = await ask('/v1/auth/login/', { method: 'POST', body: { username, password } });
  companies = await ask('/v1/tenant/', { headers: { Authorization: `Bearer ${access}` } });
  keep({ username, access, refresh, tenant: (companies.find(({ id }) => id === tenant) || companies[0])?.id });
}

// resume reads the companies of who was signed in before the page was loaded anew.
export async function resume() {
  if (!session) return;
  companies = await call('/v1/tenant/').catch((error) => {
    if (error.status !== 401) throw error;
    return [];
  });
}

// signOut ends the sign-in, and every token that came of it. Nobody waits for that.
export function signOut() {
  ask('/v1/auth/logout/', { method: 'POST', body: { refresh: session.refresh } }).catch(() => {});
  keep(null);
}
export const choose = (tenant) => keep({ ...session, tenant });

// The description of the API, and the kinds of records: read once.
const once = (get) => {
  let read;
  return () => {
    read ??= get().catch((error) => { read = undefined; throw error; });
    return read;
  };
};
export const description = once(() => ask('/v1/openapi.json'));
export const kinds = once(() => local('kinds'));
