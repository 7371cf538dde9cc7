// What both pages need of the browser.

export const $ = (id) => document.getElementById(id);

// What the server handed to the script.
export const data = JSON.parse($('data').textContent);
export const texts = data.texts;

// Not every browser knows the months in Kazakh.
const MONTHS = 'қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан'.split(' ');

function kazakh(at, withTime) {
  const two = (n) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()} ж. ${at.getDate()} ${MONTHS[at.getMonth()]}`;
  return withTime ? `${day}, ${two(at.getHours())}:${two(at.getMinutes())}` : day;
}

// A moment, or a day, in the reader's own time.
export function moment(value, withTime = true) {
  const at = new Date(value);
  if (data.language === 'kk') return kazakh(at, withTime);
  return new Intl.DateTimeFormat(data.language, { dateStyle: 'long', timeStyle: withTime ? 'short' : undefined }).format(at);
}

// Shows the times that the server wrote in the reader's own time, and its days in the reader's language.
export function localTimes(root = document) {
  for (const t of root.querySelectorAll('time')) {
    // A day is that of the company, wherever the reader is.
    const [year, month, day] = t.dateTime.split('-').map(Number);
    t.textContent = 'day' in t.dataset ? moment(new Date(year, month - 1, day), false) : moment(t.dateTime);
  }
}

// Says something where it is also read aloud. detail is in English, as the API says it.
export function say(place, text, detail = '') {
  place.textContent = text;
  if (detail) {
    const more = document.createElement('span');
    more.lang = 'en';
    more.textContent = ` ${detail}`;
    place.append(more);
  }
}

// Does what a button asks for, once at a time, and shows that it is being done.
export async function busy(button, work) {
  if (button.getAttribute('aria-busy') === 'true') return;
  const was = button.textContent;
  button.setAttribute('aria-busy', 'true');
  button.textContent = texts.working || texts.checking;
  try {
    await work();
  } finally {
    button.removeAttribute('aria-busy');
    button.textContent = was;
  }
}
