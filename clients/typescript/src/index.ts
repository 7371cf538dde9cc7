export { Tenantry, type Options } from './client.js';
export { TenantryError, type ErrorCode, type FieldProblem, type Problem } from './error.js';
export type { Tokens } from './session.js';
export type { Answer, Init, Item, ListPath, PathOf, Schemas } from './types.js';
export type { components, operations, paths } from './schema.js';
