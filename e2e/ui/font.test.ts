import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, Person } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('the font of the pages', () => {
  it.each(['en', 'zh'] as const)('comes from the server, with figures of one width: %s', async (language) => {
    const person = await Person.come(browser, server, { language });
    const { page } = person;
    const fonts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'font') fonts.push(new URL(request.url()).pathname);
    });
    await person.enter('/batches');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate(() => document.fonts.check("600 13px 'Inter'"))).toBe(true);
    const widths = await page.evaluate(() => {
      const text = document.createElement('span');
      text.style.cssText = "position: absolute; white-space: pre; font-family: 'Inter', monospace";
      document.body.append(text);
      return [...'0123456789'].map((figure) => {
        text.textContent = figure.repeat(20);
        return Math.round(text.getBoundingClientRect().width * 10);
      });
    });
    expect(new Set(widths).size).toBe(1);
    // The letters that English and Chinese do not need are in a file that nobody has loaded.
    expect(fonts.map((path) => path.replace(/-[^-.]+\.woff2$/, ''))).toEqual(['/assets/inter']);

    await page.evaluate(async () => {
      document.querySelector('h1')?.append('Žluťoučký');
      await document.fonts.ready;
    });
    await expect.poll(() => fonts.some((path) => path.startsWith('/assets/inter-more-'))).toBe(true);
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
