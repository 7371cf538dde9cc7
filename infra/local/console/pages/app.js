// The console of the platform on this machine: what is around its views. Which view is shown is in the address behind the #, so that the
// browser's own back and bookmarks work.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from './htm.js';
import * as api from './api.js';
import { LANGUAGES, language, say, speak } from './texts.js';
import { Failure, Reading, Title, decoded, move, useRead } from './ui.js';

// The views, by the first part of their address. load brings the module, whose default export is a component that is given {route: {path,
// query}, navigate}; title is what the menu calls it; open says that nobody needs to be signed in. The root of a component is one element:
// this Preact may put several in the wrong order when they change.
const VIEWS = {
  kind: { load: () => import('./records.js') },
  schedule: { load: () => import('./schedule.js'), title: () => say('schedule') },
  metrics: { load: () => import('./metrics.js'), title: () => say('metrics') },
  import: { load: () => import('./import.js'), title: () => say('import') },
  outbox: { load: () => import('./outbox.js'), title: () => say('outbox'), open: true },
  hooks: { load: () => import('./hooks.js'), title: () => say('webhooks'), open: true },
  requests: { load: () => import('./requests.js'), title: () => say('requests'), open: true },
};
// The pages that stand by themselves.
const PAGES = [
  ['/_local/docs', () => say('reference')], ['/_local/prices', () => say('prices')], ['/_local/events', () => say('events')],
  ['/_local/google/', () => 'Google'], ['/v1/openapi.json', () => 'openapi.json'], ['/health/', () => 'health'],
];

// A route is the address behind the #: /kind/client/15?page=2 is {path: ['kind', 'client', '15'], query: {page: '2'}}.
function here() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
}

// navigate goes to an address behind the #.
const navigate = (to) => { location.hash = to; };

function App() {
  const [route, setRoute] = useState(here);
  const [, redraw] = useState(0);
  const resumed = useRead(api.resume);
  useEffect(() => {
    const go = () => { move(); setRoute(here()); };
    addEventListener('hashchange', go);
    const end = api.watch(() => redraw((n) => n + 1));
    return () => { removeEventListener('hashchange', go); end(); };
  }, []);
  document.documentElement.lang = language();
  const [name = ''] = route.path;
  const view = Object.hasOwn(VIEWS, name) && VIEWS[name];
  const main = () => {
    if (resumed.waits || resumed.error) return html`<${Reading} of=${resumed} />`;
    if (!name) return html`<${Home} navigate=${navigate} />`;
    if (!view || (name !== 'kind' && route.path.length > 1)) return html`<${Title}>${say('no_view')}<//>`;
    if (!view.open && !api.who()) return html`<div><${Title}>${say('sign_in')}<//><p>${say('sign_in_first')}</p><${SignIn} /></div>`;
    // Whose data is shown, and in which language, is part of what a view is: where that changes, it begins anew.
    const key = [name, route.path.join('/'), api.who()?.tenant, language()].join();
    return html`<${View} key=${key} view=${view} route=${route} navigate=${navigate} />`;
  };
  const skip = (event) => {
    event.preventDefault();
    document.querySelector('h1')?.focus();
  };
  return html`<a class="skip" href="#main" onClick=${skip}>${say('skip')}</a>
    <${Header} onLanguage=${(to) => { speak(to); redraw((n) => n + 1); }} />
    <${Menu} route=${route} />
    <main id="main">${main()}</main>`;
}

function View({ view, ...given }) {
  const module = useRead(view.load);
  const [fault, again] = useErrorBoundary(); // what a view trips over is told in its place, and the others go on
  if (fault || !module.data) return html`<${Reading} of=${fault ? { error: fault, again } : module} />`;
  return html`<${module.data.default} ...${given} />`;
}

function Header({ onLanguage }) {
  const who = api.who();
  return html`<header><a class="name" href="#/">Tenantry</a>
    ${who && html`<span class="who">${who.username}</span>
      ${api.mine().length > 1 && html`<select aria-label=${say('company')} value=${who.tenant}
        onChange=${(event) => api.choose(Number(event.target.value))}>
        ${api.mine().map(({ id, name }) => html`<option value=${id}>${name}</option>`)}</select>`}
      <button type="button" onClick=${api.signOut}>${say('sign_out')}</button>`}
    <select aria-label=${say('language')} value=${language()} onChange=${(event) => onLanguage(event.target.value)}>
      ${Object.entries(LANGUAGES).map(([code, name]) => html`<option value=${code} lang=${code}>${name}</option>`)}</select>
  </header>`;
}

// The menu is beside the view, and on a phone it opens above it. Escape closes it there.
function Menu({ route }) {
  const [open, setOpen] = useState(false);
  const kinds = useRead(api.kinds);
  useEffect(() => setOpen(false), [route]);
  const [name, kind] = route.path;
  const item = (to, text, is) => html`<li><a href=${to} aria-current=${is ? 'page' : null}>${text}</a></li>`;
  const button = useRef();
  const escape = ({ key }) => {
    if (key !== 'Escape' || !open) return;
    setOpen(false);
    button.current.focus();
  };
  return html`<nav class=${open ? 'open' : ''} aria-label=${say('menu')} onKeyDown=${escape}>
    <button type="button" ref=${button} aria-expanded=${String(open)}
      aria-controls="menu" onClick=${() => setOpen(!open)}>${say('menu')}</button>
    <div id="menu">
      <ul>${item('#/', say('home'), !name)}
        ${Object.entries(VIEWS).filter(([, { title }]) => title).map(([view, { title }]) => item(`#/${view}`, title(), view === name))}</ul>
      <h2>${say('records')}</h2>
      <ul>${(kinds.data || []).filter(({ list }) => list).map((one) =>
        item(`#/kind/${one.name}`, say(`kind_${one.name}`), name === 'kind' && kind === one.name))}</ul>
      <h2>${say('pages')}</h2>
      <ul>${PAGES.map(([to, title]) => item(to, title()))}</ul>
    </div></nav>`;
}

// What is seen first of a company, which is a module of its own as the views are.
const HOME = { load: () => import('./home.js') };

// Home says what this is, shows the company to whoever is in one, and says how one gets a token for the lines that the views show for the
// shell.
function Home() {
  const demo = useRead(() => api.local('demo/').catch(() => undefined));
  const line = demo.data && `TOKEN=$(curl -s ${location.origin}/v1/auth/login/ -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ username: demo.data.username, password: demo.data.password })}' | sed -E 's/.*"access":"([^"]+)".*/\\1/')`;
  return html`<div><${Title}>${say('console')}<//>
    <p>${say('only_here')}</p>
    ${api.company() ? html`<${View} key=${`${api.company().id},${language()}`} view=${HOME} />` : !api.who() && html`<${SignIn} />`}
    ${line && html`<h2>${say('token')}</h2><pre tabindex="0" role="region" aria-label=${say('token')}>${line}</pre>`}</div>`;
}

// SignIn signs in as the demo owner in one click, or as whoever one says.
function SignIn() {
  const demo = useRead(() => api.local('demo/'));
  const [failure, setFailure] = useState();
  useEffect(() => {
    if (demo.error?.status !== 503) return undefined;
    const later = setTimeout(demo.again, 2000);
    return () => clearTimeout(later);
  }, [demo.error]);
  const enter = async (as) => {
    setFailure();
    try {
      await api.signIn(as);
    } catch (error) {
      setFailure(error);
    }
  };
  const given = (event) => {
    event.preventDefault();
    enter(Object.fromEntries(new FormData(event.target)));
  };
  return html`<section class="sign-in">
    ${demo.data && html`<p><button type="button" class="main"
      onClick=${() => enter(demo.data)}>${say('as_owner')}</button> <span class="soft">${demo.data.username}</span></p>`}
    ${demo.error && html`<p class="soft" role="status">${demo.error.status === 503
      ? say('making_demo') : demo.error.status === 404 ? say('no_demo') : demo.error.message}</p>`}
    <details open=${demo.error?.status === 404}><summary>${say('as_other')}</summary>
      <form onSubmit=${given}>
        <label>${say('username')} <input name="username" type="email" autocomplete="username" required /></label>
        <label>${say('password')} <input name="password" type="password" autocomplete="current-password" required /></label>
        <button>${say('sign_in')}</button>
      </form></details>
    ${failure && html`<${Failure} error=${failure} />`}
  </section>`;
}

render(html`<${App} />`, document.getElementById('console'));
