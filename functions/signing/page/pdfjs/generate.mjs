// Puts the parts of pdf.js that the page uses into this folder, out of its npm package: the files of the package as they
// are, compressed, and their sums. `go generate` runs it. It reads the package once a machine, and believes it only with
// the integrity that the registry published.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const version = '5.4.624';
const integrity = 'sha512-sm6TxKTtWv1Oh6n3C6J6a8odejb5uO4A4zo/2dgkHuC0iu8ZMAXOezEODkVaoVp8nX1Xzr+0WxFJJmUr45hQzg==';
const served = [
  'legacy/build/pdf.min.mjs',
  'legacy/build/pdf.worker.min.mjs',
  'standard_fonts/FoxitDingbats.pfb',
  'standard_fonts/FoxitSymbol.pfb',
  'wasm/openjpeg_nowasm_fallback.js', // pictures in JPEG 2000, without WebAssembly, which our policy forbids
];
const licences = { LICENSE: 'LICENSE', 'standard_fonts/LICENSE_FOXIT': 'LICENSE_FOXIT', 'wasm/LICENSE_OPENJPEG': 'LICENSE_OPENJPEG' };

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, '../../../../.local/pdfjs');
const tarball = join(cache, `pdfjs-dist-${version}.tgz`);

if (!existsSync(tarball)) {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fresh-'));
  const pack = ['pack', `pdfjs-dist@${version}`, '--pack-destination', fresh, '--loglevel=error'];
  execFileSync('npm', pack, { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(join(fresh, basename(tarball)), tarball);
  rmSync(fresh, { recursive: true });
}
const got = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
if (got !== integrity) {
  throw new Error(`${tarball} is not the package of the registry: it has ${got}`);
}

const read = (path) => execFileSync('tar', ['-xzOf', tarball, `package/${path}`], { maxBuffer: 64 << 20 });
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const sums = {};
for (const path of served) {
  const bytes = read(path);
  const file = join(here, `${basename(path)}.br`);
  // What has the right bytes inside stays: another brotli may write the same ones in another way.
  if (!existsSync(file) || !brotliDecompressSync(readFileSync(file)).equals(bytes)) {
    writeFileSync(file, brotliCompressSync(bytes, { params }));
  }
  sums[basename(path)] = { path, sha256: createHash('sha256').update(bytes).digest('hex') };
}
for (const [path, name] of Object.entries(licences)) {
  writeFileSync(join(here, name), read(path));
}
writeFileSync(join(here, 'files.json'), `${JSON.stringify({ package: 'pdfjs-dist', version, integrity, files: sums }, null, 2)}\n`);
