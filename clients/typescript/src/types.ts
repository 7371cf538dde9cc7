import type { components, paths } from './schema.js';

/** The schemas of the API's description by their names, such as `Schemas['Order']`. */
export type Schemas = components['schemas'];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that take a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;

/** Filters by custom fields, which each company names itself. */
type CustomFilters = { [name in `extra__${string}` | `car__extra__${string}`]?: string | number | boolean };

type Parameters<P> = { [K in keyof P]: K extends 'query' ? P[K] & CustomFilters : P[K] };

type Params<O> = O extends { parameters: infer P } ? ({} extends P ? { params?: Parameters<P> } : { params: Parameters<P> }) : unknown;

type Content<C> = (C extends { 'application/json': infer B } ? B : never) | (C extends { 'multipart/form-data': unknown } ? FormData : never);

type Body<O> = O extends { requestBody: { content: infer C } } ? { body: Content<C> }
  : O extends { requestBody?: { content: infer C } } ? { body?: Content<C> }
  : { body?: never };

/** What a call takes besides its path: `params` with `path`, `query` and `header`, and the `body`, as the description has them. */
export type Init<P extends keyof paths, M extends Method> = Params<Operation<P, M>> & Body<Operation<P, M>> & {
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** The arguments of a call after its path: none are needed where nothing is required. */
export type Args<P extends keyof paths, M extends Method> = {} extends Init<P, M> ? [init?: Init<P, M>] : [init: Init<P, M>];

type Json<R> = R extends { content: { 'application/json': infer D } } ? D : undefined;

type Success<R> = { [S in keyof R & (200 | 201 | 202 | 204)]: Json<R[S]> }[keyof R & (200 | 201 | 202 | 204)];

/** What a call answers. */
export type Answer<P extends keyof paths, M extends Method> = Operation<P, M> extends { responses: infer R } ? Success<R> : never;

interface Page {
  count: number;
  next: string | null;
  results: unknown[];
}

/** The paths of lists in pages. */
export type ListPath = { [P in PathOf<'get'>]: Answer<P, 'get'> extends Page ? P : never }[PathOf<'get'>];

/** A record of a list. */
export type Item<P extends ListPath> = Answer<P, 'get'> extends { results: (infer I)[] } ? I : never;
