// Writes the programs of README.md as they stand, so that they are compiled and run: test/example.ts, test/kept.ts and test/receiver.ts.
import { readFileSync, writeFileSync } from 'node:fs';

const at = new URL('../', import.meta.url);
const [order, kept, failure, receiver, ...more] = [...readFileSync(new URL('README.md', at), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
if (!receiver || more.length > 0) throw new Error('README.md has other programs than these four');
writeFileSync(new URL('test/example.ts', at), `${order}\n${failure}`);
writeFileSync(new URL('test/receiver.ts', at), receiver);
// The page is told where the platform is.
writeFileSync(new URL('test/kept.ts', at), kept.replace("'http://127.0.0.1:8000'", "(await (await fetch('/plan.json')).json()).baseUrl"));
