import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The browser tests, with a real server, a real executor and a real Chromium. The files run one after another, because
// two cores serve only one browser well.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.test.ts'],
    setupFiles: './harness/failed.ts',
    globalSetup: './harness/postgres.ts',
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    reporters: [
      'default',
      ['json', { outputFile: fileURLToPath(new URL('../../bin/times/ui.json', import.meta.url)) }],
    ],
  },
});
