import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// HIVEGO_SERVER is where `npm run dev` finds the API; with HIVEGO_TOKEN nobody needs to log in.
const server = process.env.HIVEGO_SERVER ?? 'http://127.0.0.1:3000';
// The server lets in only what comes from its own address, so the origin becomes that.
const headers: Record<string, string> = {
  Origin: server,
  ...(process.env.HIVEGO_TOKEN ? { Authorization: `Bearer ${process.env.HIVEGO_TOKEN}` } : {}),
};

export default defineConfig({
  root: here('.'),
  plugins: [react()],
  resolve: { alias: { '@': here('./src') } },
  build: {
    outDir: here('../assets/dist'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true, // which files the first page needs: scripts/compress.mjs weighs them
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the page's policy loads from its own server only
  },
  server: {
    port: Number(process.env.PORT ?? 5173),
    host: '127.0.0.1',
    proxy: { '/api': { target: server, ws: true, changeOrigin: true, rewriteWsOrigin: true, headers } },
  },
  test: {
    environment: 'jsdom',
    setupFiles: [here('./src/test/setup.ts')],
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: here('../bin/times/unit.json') }]],
  },
});
