import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { PASSWORD, PATIENCE, type Server } from './server';

const SCREENS = fileURLToPath(new URL('../../../bin/screens', import.meta.url));

/** The path of the browser: HIVEGO_TEST_FIREFOX, or the first of the programs that `scripts/need` accepts. */
const FIREFOX =
  process.env.HIVEGO_TEST_FIREFOX ??
  ['firefox-esr', 'firefox']
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find((file) => existsSync(file)) ??
  '/usr/bin/firefox-esr';

/** Firefox, which Playwright only drives in a build of its own. Puppeteer speaks WebDriver BiDi with any Firefox. */
export async function openFirefox(): Promise<Browser> {
  return launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    timeout: PATIENCE * 1000,
    protocolTimeout: PATIENCE * 1000,
    extraPrefsFirefox: { 'intl.accept_languages': 'en-US', 'ui.prefersReducedMotion': 1 },
  });
}

/** One tab of Firefox. */
export class Tab {
  readonly errors: string[] = [];

  private constructor(readonly page: Page) {
    page.on('pageerror', (error) => this.errors.push(String(error)));
  }

  static async open(browser: Browser): Promise<Tab> {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    page.setDefaultTimeout(PATIENCE * 1000);
    return new Tab(page);
  }

  /** Waits until the page shows an element. */
  async waitFor(selector: string): Promise<void> {
    await this.page.waitForSelector(selector, { visible: true });
  }

  /** Clicks on an element once it is there and stands still. */
  async click(selector: string): Promise<void> {
    await this.page.locator(selector).click();
  }

  /** Writes into an element that has no text yet. */
  async write(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.page.keyboard.type(text);
  }

  /** The box of an element that has stopped moving. */
  async box(selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
    await this.waitFor(selector);
    return this.page.evaluate(async (wanted) => {
      const frame = () =>
        new Promise((next) => {
          requestAnimationFrame(next);
        });
      for (let last = '', same = 0; ;) {
        await frame();
        const { x, y, width, height } = document.querySelector(wanted)?.getBoundingClientRect() ?? new DOMRect();
        const now = [x, y, width, height].join();
        same = now === last && width > 0 ? same + 1 : 0;
        last = now;
        if (same > 3) return { x, y, width, height };
      }
    }, selector);
  }

  /** Logs in by the form. */
  async logIn(server: Server): Promise<void> {
    await this.page.goto(`${server.url}/login`);
    await this.write('[autocomplete=username]', 'admin');
    await this.write('[autocomplete=current-password]', PASSWORD);
    await this.click('button[type=submit]');
    await this.waitFor('nav');
  }

  /** Saves a picture of the page in bin/screens. */
  async picture(name: string): Promise<void> {
    const path = join(SCREENS, `${name}.png`) as `${string}.png`;
    mkdirSync(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }
}
