// An import: a sheet is tried first, and what is wrong with it is told by its cells. Nothing is written before all of its rows are right.
import { html, useRef, useState } from './htm.js';
import { call, read } from './api.js';
import { language, listed, say } from './texts.js';
import { Failure, Grid, Title } from './ui.js';

// What the API imports: where to, where its template is, and which list has it then.
const IMPORTS = [
  { name: 'persons', title: () => say('import_persons'), kind: 'individual', list: 'client',
    to: '/v1/crm/clients/import/individual/', template: '/v1/crm/clients/import/template/' },
  { name: 'firms', title: () => say('import_firms'), kind: 'legal', list: 'client',
    to: '/v1/crm/clients/import/legal/', template: '/v1/crm/clients/import/template/' },
  { name: 'items', title: () => say('import_items'), list: 'inventory',
    to: '/v1/crm/inventories/import/', template: '/v1/crm/inventories/import/template/' },
];

// sent sends a sheet; dry says that nothing is to be written.
function sent(of, file, dry) {
  const body = new FormData();
  body.append('file', file);
  return call(of.to + (dry ? '?dry_run=true' : ''), { method: 'POST', body });
}

export default function Import() {
  const [of, choose] = useState(IMPORTS[0]);
  const [{ file, waits, tried, done, error }, set] = useState({});
  const latest = useRef(0);
  // What is answered to an earlier sheet is passed over.
  const send = async (to, sheet, dry) => {
    const mine = ++latest.current;
    set({ file: sheet, waits: true });
    const answer = await sent(to, sheet, dry).then((said) => ({ [dry ? 'tried' : 'done']: said }), (fault) => ({ error: fault }));
    if (mine === latest.current) set({ file: sheet, ...answer });
  };
  const other = ({ target }) => {
    const to = IMPORTS[target.value];
    choose(to);
    if (file) send(to, file, true);
  };
  // A copy: the sheet may be changed by the program that has it open before it is imported.
  const pick = async ({ target: { files: [picked] } }) => picked && send(of, new File([await picked.arrayBuffer()], picked.name), true);
  const template = async () => {
    const sheet = await read(of.template, { kind: of.kind, format: 'xlsx', language: language() }, 'blob');
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(sheet), download: `${of.name}.xlsx` });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const count = (tried || done)?.data.length;
  return html`<div><${Title}>${say('import')}<//><p>${say('about_import')}</p>
    <div class="bar"><label>${say('rows_are')} <select onChange=${other}>${IMPORTS.map((one, i) =>
    html`<option value=${i} selected=${one === of}>${one.title()}</option>`)}</select></label>
      <label>${say('sheet_file')} <input type="file" accept=".xlsx,.csv" onClick=${({ target }) => { target.value = ''; }} onChange=${pick} /></label>
      <button type="button" onClick=${() => template().catch((fault) => set({ error: fault }))}>${say('template')}</button></div>
    <p role="status">${waits && say('reading')}${tried && say('would_import', { count })}${done && say('imported', { count })}</p>
    ${tried && html`<p><button type="button" onClick=${() => send(of, file, false)}>${say('import_them', { count })}</button></p>`}
    ${done && html`<p><a href="#/kind/${of.list}?ordering=-id">${say('show_list')}</a></p>`}
    ${error && (error.body?.errors ? html`<div role="alert"><h2>${say('wrong_cells', { count: error.body.errors.length })}</h2>
      <${Cells} of=${error.body.errors} label=${say('wrong_cells', { count: error.body.errors.length })} /></div>`
    : html`<${Failure} error=${{ status: error.status, message: told(error) }} />`)}
    <${Left} of=${tried || done || error?.body} /></div>`;
}

// told is what an error says: of the sheet as a whole the messages, without the names of fields.
const told = ({ body, message }) => (Array.isArray(body?.file) ? body.file.join(' ') : message);

// Left is what an import has passed over, and what is only likely to be wrong.
function Left({ of: { ignored = [], similar = [], warnings = [] } = {} }) {
  return html`<div>${ignored.length > 0 && html`<p>${say('columns_left', { names: ignored.join(', ') })}</p>`}
    ${similar.map(({ name, meant }) => html`<p>${say('column_meant', { name, meant })}</p>`)}
    ${warnings.length > 0 && html`<h2>${say('warnings')}</h2><${Cells} of=${warnings} label=${say('warnings')} />`}</div>`;
}

const Cells = ({ of, label }) => html`<${Grid} label=${label} head=${listed('cells_head')}>${of.map(({ row, column, field, cell, message }) =>
  html`<tr><td class="number">${row}</td><td>${column || field}</td><td>${cell}</td><td>${message}</td></tr>`)}<//>`;
