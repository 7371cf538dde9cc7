// Writes src/idempotent.ts: types are gone when a program runs, and which POSTs take an Idempotency-Key has to be known then.
import { readFileSync, writeFileSync } from 'node:fs';

const { paths } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const takes = Object.keys(paths).filter((path) =>
  paths[path].post?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/idempotencyKey'));
if (takes.length === 0) throw new Error('no operation takes an Idempotency-Key');
writeFileSync(new URL('src/idempotent.ts', import.meta.url), `// Generated from docs/openapi.json.

/** The paths whose POST takes an Idempotency-Key. */
export const idempotent: ReadonlySet<string> = new Set(${JSON.stringify(takes, null, 2)});
`);
