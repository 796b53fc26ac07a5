// Runs after a build. It checks the size of the first load against the budget, and writes .br and .gz files, so that
// the server need not compress.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const BUDGET = 350 * 1024; // bytes, gzipped: scripts and styles of the first load
const dist = fileURLToPath(new URL('../../assets/dist', import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

const files = (dir) =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });

for (const path of files(dist)) {
  if (!['.js', '.css', '.html', '.svg', '.json'].includes(extname(path)) || path.includes('.vite')) continue;
  const text = readFileSync(path);
  if (text.length < 1024) continue;
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
}

// The gzipped size of chunks with everything that they import. The first load consists of the entry, the texts of a
// language and a page.
const weigh = (keys) => {
  const seen = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk || seen.has(chunk.file)) return;
    seen.add(chunk.file);
    for (const css of chunk.css ?? []) seen.add(css);
    for (const next of chunk.imports ?? []) visit(next);
  };
  keys.forEach(visit);
  return [...seen].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
};
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const dynamicEntries = Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry);
const heaviest = (keys, ...others) => keys.map((key) => [weigh([...others, key]), key]).sort((a, b) => b[0] - a[0])[0];
const [, texts] = heaviest(
  dynamicEntries.filter((key) => key.includes('/i18n/')),
  entry,
);
const [largest, page] = heaviest(
  dynamicEntries.filter((key) => /^src\/features\/\w+\/(\w+Page\.tsx|index\.tsx?)$/.test(key)),
  entry,
  texts,
);
const kb = (n) => `${(n / 1024).toFixed(0)} KB`;
console.log(
  `first load: ${kb(weigh([entry, texts]))} for the frame, at most ${kb(largest)} with a page (${page}); ` +
    `the budget is ${kb(BUDGET)}, gzipped`,
);
if (largest > BUDGET) process.exit(1);
