// The page of what happens in the demo company. It reads the log as any program does: by a cursor, from which it goes on.
'use strict';

const PAUSE = 1000; // milliseconds
const SHOWN = 200;

let cursor; // undefined: begin with the newest
let says = {}; // of a type, what it means

async function begin() {
  says = Object.fromEntries((await read('/v1/events/types/')).map((one) => [one.type, one.doc]));
  const { next_cursor: end } = await read('/v1/events/?after=end');
  // The id of an event is a cursor, too. Where that one is not kept any more, the oldest that is comes first.
  const { results, next_cursor: next } = await read(`/v1/events/?after=${Math.max(0, Number(end) - SHOWN)}`).catch((error) => {
    if (error.status !== 410) throw error;
    return read('/v1/events/');
  });
  find('events').replaceChildren();
  show(results, false);
  cursor = next;
}

function show(list, fresh) {
  const body = find('events');
  for (const row of body.querySelectorAll('tr.new')) row.classList.remove('new');
  for (const event of list) body.prepend(row(event, fresh));
  while (body.children.length > SHOWN) body.lastChild.remove();
}

function row(event, fresh) {
  const at = make('time', { dateTime: event.created_at }, new Date(event.created_at).toLocaleString('en-GB'));
  const by = event.user ? `user ${event.user}` : event.feed ? `feed ${event.feed}` : event.key ? `key ${event.key}` : '';
  const data = JSON.stringify(event.data);
  return make('tr', { className: fresh ? 'new' : '' }, make('td', {}, String(event.id)), make('td', {}, at),
    make('td', { title: says[event.type] || '' }, make('b', {}, event.type)), make('td', {}, `${event.object} (${event.revision})`),
    make('td', {}, event.concerns.join(', ')), make('td', {}, by), make('td', {}, data === '{}' ? '' : make('code', {}, data)));
}

// next reads what has come since, and all of it where it is more than one answer.
async function next() {
  for (;;) {
    const { results, next_cursor: reached } = await read(`/v1/events/?after=${cursor}`);
    if (results.length) show(results, true);
    if (reached === cursor) return;
    cursor = reached;
  }
}

async function tick() {
  try {
    await (cursor === undefined ? begin() : next());
    find('says').textContent = find('events').children.length ? '' : 'Nothing has happened yet.';
    find('log').hidden = false;
    find('cursor').textContent = `next_cursor ${cursor}`;
  } catch (error) {
    // The platform may have begun anew, with another log.
    if (error.status === 400 || error.status === 410) cursor = undefined;
    find('says').textContent = `The events can't be read: ${error.message}`;
  }
  setTimeout(tick, PAUSE);
}

tick();
