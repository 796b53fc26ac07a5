// Runs after a build. It checks the size of the first load against the budget, and writes .br and .gz files, so that
// the server need not compress.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const BUDGET = 350 * 1024; // bytes, gzipped: scripts, styles and the font of the first load
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

// The font that each page loads. The browser loads the other one only for letters that are rare: see src/ui/fonts.css.
const isFirstFont = (file) => /\/inter-(?!more)[^/]*\.woff2$/.test(file);

// The gzipped size of chunks with everything that they import. The first load consists of the entry, the texts of a
// language and a page.
const weigh = (keys) => {
  const seen = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk || seen.has(chunk.file)) return;
    seen.add(chunk.file);
    for (const css of chunk.css ?? []) seen.add(css);
    for (const font of chunk.assets ?? []) if (isFirstFont(font)) seen.add(font);
    for (const next of chunk.imports ?? []) visit(next);
  };
  keys.forEach(visit);
  const weightOf = (file) => {
    const content = readFileSync(join(dist, file));
    return file.endsWith('.woff2') ? content.length : gzipSync(content, { level: 9 }).length;
  };
  return [...seen].reduce((sum, file) => sum + weightOf(file), 0);
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
// A check that does not find the font would not count it.
if (!Object.values(manifest).some((chunk) => chunk.assets?.some(isFirstFont))) {
  console.error('the font of the pages is not in the manifest');
  process.exit(1);
}
