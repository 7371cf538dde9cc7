// An import: a sheet is tried first, and what is wrong with it is told by its cells. Nothing is written before all of its rows are right.
import { html, useEffect, useState } from './htm.js';
import { call, read, who } from './api.js';
import { language, listed, say } from './texts.js';
import { Failure, Grid, Title } from './ui.js';

// What the API imports: where to, where its template is, and which list has it then.
const IMPORTS = [
  { name: 'individuals', title: () => say('import_individuals'), kind: 'individual', list: 'client',
    to: '/v1/crm/clients/import/individual/', template: '/v1/crm/clients/import/template/' },
  { name: 'legal', title: () => say('import_legal'), kind: 'legal', list: 'client',
    to: '/v1/crm/clients/import/legal/', template: '/v1/crm/clients/import/template/' },
  { name: 'inventory', title: () => say('import_inventory'), list: 'inventory',
    to: '/v1/crm/inventories/import/', template: '/v1/crm/inventories/import/template/' },
];

// sent sends a sheet; without a key it is only tried. A sheet that is sent again under its key is written once.
function sent(of, file, key) {
  const body = new FormData();
  body.append('file', file);
  return call(of.to + (key ? '' : '?dry_run=true'), { method: 'POST', body, headers: key && { 'Idempotency-Key': key } });
}

// An import outlives its view: who comes back, in another language too, sees what has become of it. Nobody else does.
let kept = {};
let shown = null;
let latest = 0;
const whose = () => JSON.stringify([who()?.username, who()?.tenant]);
const stay = (event) => event.preventDefault();

export default function Import() {
  const [mine] = useState(whose);
  const [{ of, sheet, key, waits, tried, done, error }, show] = useState(kept.whose === mine ? kept : { of: IMPORTS[0] });
  useEffect(() => {
    shown = show;
    return () => { if (shown === show) shown = null; };
  }, []);
  const set = (state) => {
    const here = whose() === mine;
    const next = { whose: mine, of, ...state };
    if (here || kept.whose === mine) kept = next; // whoever signed out meanwhile finds it on signing in again
    if (here) shown?.(next);
  };
  // attempt tries a sheet. What comes of an earlier one is passed over.
  const attempt = async (to, picked) => {
    const current = ++latest;
    set({ of: to, waits: true });
    let copy = picked; // of the bytes: the sheet may be changed by the program that has it open, before it is imported
    const come = await (async () => {
      copy = new File([await picked.arrayBuffer()], picked.name);
      return { tried: await sent(to, copy), key: crypto.randomUUID() };
    })().catch((fault) => ({ error: fault }));
    if (current === latest) set({ of: to, sheet: copy, ...come });
  };
  // write writes a sheet that was tried. Without an answer it is sent again under its key; one that is refused now is tried anew.
  const write = async () => {
    set({ sheet, key, tried, waits: true });
    addEventListener('beforeunload', stay);
    set(await sent(of, sheet, key).then((said) => ({ done: said }), (fault) => {
      if (fault.status === 400) return { sheet, error: fault };
      return { sheet, key, tried, error: fault.status ? fault : { message: say('no_answer') } };
    }));
    removeEventListener('beforeunload', stay);
  };
  const other = ({ target }) => {
    const to = IMPORTS[target.value];
    if (sheet) attempt(to, sheet);
    else set({ of: to });
  };
  const template = () => read(of.template, { kind: of.kind, format: 'xlsx', language: language() }, 'blob').then((blob) => {
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: `${of.name}.xlsx` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }).catch((fault) => set({ ...(kept.whose === mine && kept), error: fault }));
  const writing = Boolean(waits && tried); // meanwhile nothing else is begun: what is written is told
  const count = (tried || done)?.data.length;
  return html`<div><${Title}>${say('import')}<//><p>${say('about_import')}</p>
    <div class="bar"><label>${say('rows_are')} <select disabled=${writing} onChange=${other}>${IMPORTS.map((one, i) =>
    html`<option value=${i} selected=${one === of}>${one.title()}</option>`)}</select></label>
      <label>${say('sheet_file')} <input type="file" accept=".xlsx,.csv" disabled=${writing}
        onClick=${({ target }) => { target.value = ''; }} onChange=${({ target: { files: [picked] } }) => picked && attempt(of, picked)} /></label>
      <button type="button" onClick=${template}>${say('template')}</button></div>
    <p role="status">${waits ? say('reading') : tried && !error ? say('would_import', { count }) : done ? say('imported', { count }) : ''}</p>
    ${tried && html`<p><button type="button" disabled=${writing} onClick=${write}>${say('import_them', { count })}</button></p>`}
    ${done && html`<p><a href="#/kind/${of.list}?ordering=-id">${say('show_list')}</a></p>`}
    ${error && html`<${Wrong} error=${error} />`}
    <${Left} of=${tried || done || error?.body || {}} /></div>`;
}

// Wrong is why a sheet is refused: cell by cell, or what is wrong with it as a whole, without the names of fields.
function Wrong({ error }) {
  const { errors, file, data } = error.body || {};
  if (errors?.length) {
    const title = say('mistakes', { count: errors.length });
    return html`<div role="alert"><h2>${title}</h2><${Cells} of=${errors} label=${title} /></div>`;
  }
  const whole = file || data?.non_field_errors;
  return html`<${Failure} error=${{ status: error.status, message: whole ? whole.join(' ') : error.message }} />`;
}

// Left is what an import has passed over, and what is only likely to be wrong.
function Left({ of: { ignored = [], similar = [], warnings = [] } }) {
  const names = ignored.filter((header) => !similar.some(({ name }) => name === header)).join(', ');
  return html`<div>${names && html`<p>${say('columns_left', { names })}</p>`}
    ${similar.map(({ name, meant }) => html`<p>${say('column_meant', { name, meant })}</p>`)}
    ${warnings.length > 0 && html`<h2>${say('warnings')}</h2><${Cells} of=${warnings} label=${say('warnings')} />`}</div>`;
}

const Cells = ({ of, label }) => html`<${Grid} label=${label} head=${listed('cells_head')}>${of.map(({ row, column, field, cell, message }) =>
  html`<tr><td class="number">${row}</td><td>${column || field}</td><td>${cell}</td><td>${message}</td></tr>`)}<//>`;
