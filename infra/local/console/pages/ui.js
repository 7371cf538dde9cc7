// What the views of the console share: a title, what is waited for, what went wrong, tables, moments and amounts.
import { html, useEffect, useRef, useState } from './htm.js';
import { company } from './api.js';
import { KAZAKH_DAYS, language, say } from './texts.js';

let moved = false; // whether the view isn't the first one, which gets no focus: whoever has just come begins at the top
export const move = () => { moved = true; };

// Title is the heading of a view. It gets the focus when the view is shown, so that those who listen hear where they are.
export function Title({ children, name }) {
  const heading = useRef();
  useEffect(() => { if (moved) heading.current.focus(); }, []);
  useEffect(() => { document.title = `${name || heading.current.textContent} · Tenantry`; });
  return html`<h1 tabindex="-1" ref=${heading}>${children || name}</h1>`;
}

// useRead reads something, and reads it anew when what it depends on changes, or when it is told to. It is {data, error, waits, again};
// while something is read anew, the data of before stays. An answer that comes after a later question is passed over.
export function useRead(get, on = []) {
  const [state, set] = useState({ waits: true });
  const latest = useRef(0);
  const again = async () => {
    const mine = ++latest.current;
    set((before) => ({ ...before, waits: true }));
    const found = await get().then((data) => ({ data }), (error) => ({ error }));
    if (mine === latest.current) set((before) => ({ data: found.error ? before.data : found.data, error: found.error, waits: false }));
  };
  useEffect(() => {
    again();
    return () => { latest.current++; };
  }, on);
  return { ...state, again };
}

// Reading is what stands in place of something that was read by useRead: that it is waited for, or what went wrong; nothing once it is
// there.
export function Reading({ of: { data, error, waits, again } }) {
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  return waits && data === undefined ? html`<p class="soft reading" role="status">${say('reading')}</p>` : null;
}

export const Failure = ({ error, again }) => html`<div class="failure" role="alert">
  <p><b>${error.status ? say('answered', { status: error.status }) : say('failed')}</b> ${error.message}</p>
  ${again && html`<button type="button" onClick=${again}>${say('again')}</button>`}
</div>`;

// Grid is a table that is wider than a phone, which one scrolls, also by the keyboard.
export const Grid = ({ label, head, children }) => html`<div class="grid" role="region" aria-label=${label} tabindex="0"><table>
  <thead><tr>${head.map((cell) => (cell?.type === 'th' ? cell : html`<th scope="col">${cell}</th>`))}</tr></thead><tbody>${children}</tbody>
</table></div>`;

// Json is a value as JSON.
export const Json = ({ of, label }) => html`<pre tabindex="0" role="region" aria-label=${label || 'JSON'}>${written(of)}</pre>`;

// written is a value as JSON, or why it can't be: a stranger's may be nested more deeply than a browser goes.
function written(value) {
  try {
    return JSON.stringify(value, null, 2);
  } catch (error) {
    return error.message;
  }
}

// decoded is a part of an address as people read it; what nobody can decode stays as it is.
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// Words is a text in which the addresses of the web are links.
export const Words = ({ text }) => text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)'»])/)
  .map((part, i) => (i % 2 ? html`<a href=${part} target="_blank" rel="noopener">${part}</a>` : part));

// recordLink leads to the view of a record, by the name of its kind; without an id it is the text alone.
export const recordLink = (kind, id, text) => (id ? html`<a href=${`#/kind/${kind}/${id}`}>${text}</a>` : text);

// Browsers write numbers for ru-KZ as they are written in Kazakh.
const locale = () => ({ en: 'en-GB', ru: 'ru-RU', kk: 'ru-KZ' })[language()];
const zone = () => company()?.timezone;
// when is a moment on the clock of the company.
export const when = (at, options = { dateStyle: 'medium', timeStyle: 'short' }) => {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return String(at);
  const kazakh = language() === 'kk' && { ...options.dateStyle && { dateStyle: 'short' }, ...options.month && { month: '2-digit' } };
  const written = new Intl.DateTimeFormat(locale(), { timeZone: zone(), ...options, ...kazakh });
  return kazakh ? written.formatToParts(moment).map(({ value }) => KAZAKH_DAYS[value] || value).join('') : written.format(moment);
};
export const Moment = ({ at, options }) => html`<time datetime=${at} title=${at}>${when(at, options)}</time>`;
// number is a number in figures of the language.
export const number = (value, options) => new Intl.NumberFormat(locale(), options).format(value);
// money is an amount in the currency of the company.
export const money = (amount) => number(amount, company()?.currency
  ? { style: 'currency', currency: company().currency, currencyDisplay: 'narrowSymbol' } : {});

// useLive reads as useRead does, and anew every some milliseconds while somebody looks. What is still read is waited for: an answer that
// takes longer than the pause would never be shown otherwise.
export function useLive(get, on, pause) {
  const read = useRead(get, on);
  const latest = useRef();
  latest.current = read;
  useEffect(() => {
    const clock = setInterval(() => { if (!document.hidden && !latest.current.waits) latest.current.again(); }, pause);
    return () => clearInterval(clock);
  }, on);
  return read;
}

// Dialog is above the view until it is closed: by its button, by Escape, or by a click beside it.
export function Dialog({ title, close, children }) {
  const box = useRef();
  useEffect(() => box.current.showModal(), []);
  const click = ({ target, currentTarget, clientX: x, clientY: y }) => {
    if (target !== currentTarget) return; // it is neither the dialog's padding nor its backdrop
    const { left, right, top, bottom } = target.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) target.close();
  };
  return html`<dialog ref=${box} aria-labelledby="dialog" onClose=${close} onClick=${click}>
    <h2 id="dialog">${title}</h2>${children}<form method="dialog"><button autofocus>${say('close')}</button></form></dialog>`;
}
