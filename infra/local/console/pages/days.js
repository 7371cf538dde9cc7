// Days on the clock of the company. A day is a text such as 2026-03-02.
import { company } from './api.js';

export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;

// wall is what clocks of the company show at a moment, as if that were UTC.
const wall = (at) => Date.parse(`${new Date(at).toLocaleString('sv', { timeZone: company()?.timezone }).replace(' ', 'T')}Z`);
const iso = (time) => new Date(time).toISOString().slice(0, 10);
export const dayOf = (at) => iso(wall(at));
export const shift = (day, days) => iso(Date.parse(day) + days * DAY);
export const weekday = (day) => new Date(day).getUTCDay();

// begin is when a day begins. Where clocks go forward at midnight, that is an hour later.
export function begin(day) {
  const midnight = Date.parse(day);
  const guess = midnight - (wall(midnight) - midnight);
  const at = midnight - (wall(guess) - guess);
  return dayOf(at) < day ? at + HOUR : at;
}
