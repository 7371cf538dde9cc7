// What the pages about the demo company share. They ask nobody but the platform they are of, as any client of the API would.
'use strict';

const DAY = 24 * 60 * 60 * 1000;

const find = (id) => document.getElementById(id);

// make returns an element. Texts are never read as HTML.
function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

// --- The API, with the demo user's sign-in.

let demo, token;

async function call(path, options = {}) {
  const headers = { 'Content-Type': 'application/json' };
  if (token) Object.assign(headers, { Authorization: `Bearer ${token}`, 'X-Tenant-Id': demo.tenant });
  const answer = await fetch(path, { ...options, headers });
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.detail || JSON.stringify(body)), { status: answer.status, body });
  return body;
}

async function signIn() {
  token = undefined;
  demo = await call('/_local/demo/');
  const { username, password } = demo;
  token = (await call('/v1/auth/login/', { method: 'POST', body: JSON.stringify({ username, password }) })).access;
}

// read returns an answer; a token that is no longer good is renewed once.
async function read(path, options) {
  if (!token) await signIn();
  try {
    return await call(path, options);
  } catch (error) {
    if (error.status !== 401) throw error;
    await signIn();
    return call(path, options);
  }
}

// all returns every page of a list.
async function all(path, query = {}) {
  const list = [];
  for (let page = 1, more = true; more; page++) {
    const answer = await read(`${path}?${new URLSearchParams({ ...query, pageSize: 500, page })}`);
    list.push(...answer.results);
    more = answer.next !== null;
  }
  return list;
}

// --- Days of the company. A day is a text such as 2026-03-02.

let zone = 'UTC';

// readCompany returns the demo company. From then on days are those of its time zone.
async function readCompany() {
  const company = (await read('/v1/tenant/')).find((one) => one.id === demo.tenant);
  if (!company) throw new Error('The demo company was closed.');
  zone = company.timezone;
  return company;
}

const wall = (at) => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
    hour: 'numeric', minute: 'numeric', second: 'numeric',
  }).formatToParts(at);
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second']
    .map((type) => Number(parts.find((part) => part.type === type).value));
  return Date.UTC(year, month - 1, day, hour, minute, second);
};
const iso = (wallTime) => new Date(wallTime).toISOString().slice(0, 10);
const dayOf = (at) => iso(wall(at));
const shift = (day, days) => iso(Date.parse(day) + days * DAY);

// begin returns when a day begins. Where clocks go forward at midnight, that is an hour later.
function begin(day) {
  const midnight = Date.parse(day);
  const guess = midnight - (wall(midnight) - midnight);
  const at = midnight - (wall(guess) - guess);
  return dayOf(at) < day ? at + DAY / 24 : at;
}

const format = (options) => (at) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(new Date(at));
