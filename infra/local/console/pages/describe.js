// What the description of the API and the registry of kinds say about the records of a kind: the filters and orders of its list, the fields
// of its records, what these refer to, and what lies below a record. Nothing here knows a kind by itself, but for a few names of fields.
import * as api from './api.js';

let doc; // the description of the API
let registry; // the kinds

// learn reads both.
export async function learn() {
  [doc, registry] = await Promise.all([api.description(), api.kinds()]);
  return registry;
}

export const byName = (name) => registry.find((kind) => kind.name === name);
export const byModel = (model) => registry.find((kind) => model && kind.model === model);

// resolve follows a schema to what it says: behind a reference, beside null, or first among several.
export function resolve(schema = {}) {
  if (schema.$ref) return resolve(schema.$ref.split('/').slice(1).reduce((at, name) => at[name], doc));
  const [one] = (schema.oneOf || schema.anyOf || schema.allOf || []).filter(({ type }) => type !== 'null');
  return one && !schema.properties ? { ...resolve(one), ...schema.description && { description: schema.description } } : schema;
}

const answerOf = (path) => doc.paths[path]?.get?.responses['200']?.content?.['application/json']?.schema;
// rowsOf is the schema of what a list has, whether the answer is an array or a page.
function rowsOf(answer) {
  const list = resolve(answer);
  return list.items || resolve(list.properties?.results).items;
}
// The properties of an object, by their names.
export const fieldsOf = (schema) => resolve(schema).properties || {};

export const parametersOf = (path) => (doc.paths[path]?.get?.parameters || []).map(resolve);
export const OPS = { '': '=', in: '∈', gte: '≥', lte: '≤', isnull: 'null' };

// recordAt is the record whose address a text is: {kind, id}; undefined if it is none's.
export function recordAt(address) {
  const [, path, id] = /^(.*\/)(\d+)\/$/.exec(new URL(address, location).pathname) || [];
  const kind = registry.find((one) => path && one.path === path);
  return kind && { kind, id };
}

// choices are the values that a schema enumerates or whose meaning its description tells: "0 request, 1 reserved".
export function choices(schema = {}) {
  const told = Object.fromEntries([...(schema.description || '').matchAll(/(?:^|[\s:;,])(\d+) ([a-zA-Z][^,;:.0-9]*)/g)]
    .map(([, value, text]) => [value, text.trim()]));
  const values = schema.enum || (Object.keys(told).length > 1 ? Object.keys(told) : undefined);
  return values?.map((value) => ({ value: String(value), text: told[value] }));
}

// What a custom field holds, as a schema says it.
const TYPES = {
  integer: { type: 'integer' }, decimal: { type: 'number' }, boolean: { type: 'boolean' }, date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' }, string: { type: 'string' }, color: { type: 'string' },
};

// custom are the custom fields of a kind's records, with the part of a record that they are in.
export async function custom(kind) {
  if (!kind.fields.length) return [];
  const all = await api.read('/v1/crm/settings/custom_fields_list/');
  return all.filter(({ key }) => kind.fields.includes(key)).map((field) => {
    const part = field.key === kind.fields[0] ? '' : kind.within;
    const schema = TYPES[field.type] || (byName(field.type) ? { type: 'integer', refers: field.type } : {});
    return { ...field, part, path: `${part ? `${part}__` : ''}extra__${field.name}`, schema };
  });
}

// listing is what is known about a kind's list: its filters {name, ops: {'': parameter, in: parameter, …}, schema, doc}, its orders, the
// schema of a row, and whether it has pages and a search.
export function listing(kind, fields = []) {
  const filters = new Map();
  const parameters = parametersOf(kind.list).filter((one) => one.in === 'query');
  for (const { name, schema, description } of parameters) {
    const [, base, op = ''] = /^(.+?)(?:__(in|gte|lte|isnull))?$/.exec(name);
    if (['page', 'pageSize', 'search', 'ordering'].includes(name)) continue;
    const filter = filters.get(base) || { name: base, ops: {}, schema: {}, doc: '' };
    filter.ops[op] = name;
    if (op === '' || !filter.schema.type) Object.assign(filter, { schema: op === 'in' ? schema.items : schema, doc: description });
    filters.set(base, filter);
  }
  for (const { path, label, filter, schema } of fields.filter((one) => one.filter)) {
    const ops = Object.fromEntries(Object.keys(OPS).map((op) => [op, op ? `${path}__${op}` : path]));
    filters.set(path, { name: path, ops, schema, doc: label });
  }
  const [, orders = ''] = /`ordering` takes ([^.]+)\./.exec(doc.paths[kind.list]?.get?.description) || [];
  const known = (name) => parameters.some((one) => one.name === name);
  return {
    filters: [...filters.values()],
    orders: [...orders.split(', ').filter(Boolean), ...fields.filter(({ table }) => table).map(({ path }) => path)],
    pages: known('page'), search: known('search'), row: rowsOf(answerOf(kind.list)), doc: doc.paths[kind.list]?.get,
  };
}

// one is the schema of a kind's record.
export const one = (kind) => answerOf(`${kind.path}{id}/`) || rowsOf(answerOf(kind.list));
export const readable = (kind) => Boolean(answerOf(`${kind.path}{id}/`));

// parts are what can be read below a record without more being said: {name, path, kind}, where kind is that of what is listed, if it is
// known.
export function parts(kind) {
  const below = new RegExp(`^${kind.path}\\{\\w+\\}/(\\w+)/$`);
  const ref = (schema) => JSON.stringify(schema);
  return Object.keys(doc.paths).flatMap((path) => {
    const [, name] = below.exec(path) || [];
    const answer = answerOf(path);
    if (!name || name === 'timeline' || !answer || resolve(answer).properties?.url
      || parametersOf(path).some((p) => p.in === 'query' && p.required)) return [];
    const row = rowsOf(answer);
    return [{ name, path, row, kind: row && registry.find((other) => other.list && ref(rowsOf(answerOf(other.list))) === ref(row)) }];
  });
}

// Fields whose names aren't those of a kind, and those that are and are something else: a place in an order, and the number of a user, by
// which the company's users aren't found.
const NAMES = {
  request: 'order', group: 'inventory_group', groups: 'inventory_group', points: 'rental_point',
  from: 'account', to: 'account', refund_of: 'transaction', signer: 'client',
  source: 'attraction_method', id: '', order: '', user: '',
};

// refers is the kind to which a field of a kind's records refers; undefined if it refers to none.
export function refers(kind, name, schema) {
  if (schema?.refers) return byName(schema.refers);
  const of = resolve(schema);
  const { type, enum: values } = of.items ? resolve(of.items) : of;
  if (![type].flat().includes('integer') || values) return undefined;
  const bare = NAMES[name] ?? name.replace(/_(from|to|return|then)$/, '');
  const found = [bare, bare.replace(/ies$/, 'y'), bare.replace(/s$/, ''), `${kind.name}_${bare}`].map(byName).find((other) => other?.list);
  return kind.name === 'order_inventory' && found?.name === 'exchange' ? byName('request_exchange') : found;
}

// referring are the lists that can be asked for the records that refer to one of a kind: {kind, name, query}, where name is the filter's
// and query asks for an id. A filter whose description says that it is an id is named as the field that refers is. Of documents the
// description says only that an id and a model find them.
export function referring(kind) {
  return registry.filter(({ list }) => list).flatMap((other) => {
    const { filters } = listing(other);
    const models = resolve(filters.find(({ name }) => name === 'content_type')?.schema).enum || [];
    return filters.flatMap(({ name, ops, schema, doc: told }) => {
      if (!ops['']) return [];
      if (name === 'object_id') {
        return models.includes(kind.model) ? [{ kind: other, name, query: (id) => ({ content_type: kind.model, object_id: id }) }] : [];
      }
      return /^Id of /.test(told) && refers(other, name, schema) === kind ? [{ kind: other, name, query: (id) => ({ [name]: id }) }] : [];
    });
  });
}
