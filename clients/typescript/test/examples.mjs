// Writes the programs of README.md as they stand, so that they are compiled and run: test/example.ts, and test/receiver.ts.
import { readFileSync, writeFileSync } from 'node:fs';

const at = new URL('../', import.meta.url);
const [order, failure, receiver, ...more] = [...readFileSync(new URL('README.md', at), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
if (!receiver || more.length > 0) throw new Error('README.md has other programs than these three');
writeFileSync(new URL('test/example.ts', at), `${order}\n${failure}`);
writeFileSync(new URL('test/receiver.ts', at), receiver);
