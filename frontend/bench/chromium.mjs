// The browser of the benchmarks: HIVEGO_TEST_CHROMIUM, or the Chromium of the system.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const CHROMIUM =
  process.env.HIVEGO_TEST_CHROMIUM ||
  ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find((file) => existsSync(file)) ||
  '/usr/bin/chromium';

export const launch = () =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });

/** The value below which that part of them lies. */
export const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
