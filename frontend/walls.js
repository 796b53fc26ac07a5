// Which folder of src may import which. README.md shows the same table, eslint.config.js enforces it, and
// src/test/walls.test.ts compares the two. A folder may always import itself; src/app may import everything.

/** For each folder of src: the folders, or the parts of folders, that its product code may import. */
export const walls = {
  api: [],
  i18n: ['api'],
  ui: ['api'],
  live: ['api', 'ui'],
  graph: ['api'],
  document: ['graph', 'api', 'i18n/locales'],
  cron: ['ui'],
  scene: ['graph', 'api', 'live', 'ui'],
  features: ['api', 'i18n', 'ui', 'live', 'graph', 'document', 'cron', 'scene'],
};

/** Folders without React, pages and I/O. */
export const pure = ['graph', 'document'];
