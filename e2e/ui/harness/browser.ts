import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { PASSWORD, PATIENCE, type Server } from './server';

const SCREENS = fileURLToPath(new URL('../../../bin/screens', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Appearance {
  language?: 'en' | 'zh';
  dark?: boolean;
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  /** Device pixels of a pixel of the page: 2 with half the width is a zoom of 200 %. */
  scale?: number;
  /** The device has a touchscreen. */
  touch?: boolean;
}

/** The path of the browser: HIVEGO_TEST_CHROMIUM, or the first of the programs that `scripts/need` accepts. */
export const CHROMIUM =
  process.env.HIVEGO_TEST_CHROMIUM ??
  ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find((file) => existsSync(file)) ??
  '/usr/bin/chromium';

/**
 * The features that Playwright switches off on Linux, and two more. Chromium obeys only the last --disable-features,
 * so the list repeats Playwright's. The last two prepare the suggestions of the address bar, in a separate process for
 * each context. No test sees them, and each process takes almost a second of computing time.
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** All persons whose browser is open. When a test fails, a picture is taken of each of their pages. */
export const present = new Set<Person>();

/** The browser context of one user. It collects all errors that its pages report. */
export class Person {
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly errors: string[],
    private readonly url: string,
  ) {
    present.add(this);
  }

  static async come(browser: Browser, server: Pick<Server, 'url'>, appearance: Appearance = {}): Promise<Person> {
    const context = await browser.newContext({
      baseURL: server.url,
      locale: appearance.language === 'zh' ? 'zh-CN' : 'en-US',
      colorScheme: appearance.dark ? 'dark' : 'light',
      viewport: { width: appearance.width ?? 1280, height: appearance.height ?? 800 },
      reducedMotion: appearance.reducedMotion ? 'reduce' : 'no-preference',
      deviceScaleFactor: appearance.scale ?? 1,
      hasTouch: appearance.touch ?? false,
      timezoneId: 'Asia/Shanghai',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE * 1000);
    const person = new Person(context, await context.newPage(), [], server.url);
    person.listen(person.page);
    return person;
  }

  private listen(page: Page): void {
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (line) => {
      // The browser logs refused requests even if the page handles them. A violation of the content security policy is
      // always an error.
      if (
        line.type() === 'error' &&
        !line.text().startsWith('Failed to load resource') &&
        !line.text().includes('WebSocket connection')
      )
        this.errors.push(line.text());
    });
  }

  /** Opens another tab of the same user. */
  async tab(): Promise<Page> {
    const page = await this.context.newPage();
    this.listen(page);
    return page;
  }

  /** Logs in without the form, and goes to a page. */
  async enter(path = '/', name = 'admin'): Promise<void> {
    const answer = await this.context.request.post('/api/v1/session', {
      data: { name, password: PASSWORD },
      headers: { Origin: this.url },
    });
    expect(answer.status()).toBe(200);
    await this.page.goto(path);
  }

  /** Logs in by the form, in either language. */
  async logIn(path = '/'): Promise<void> {
    await this.page.goto(path);
    await this.page.getByLabel(/^(Name|用户名)$/).fill('admin');
    await this.page.getByLabel(/^(Password|密码)$/).fill(PASSWORD);
    await this.page.getByRole('button', { name: /^(Log in|登录)$/ }).click();
    await this.page.getByRole('navigation').first().waitFor();
  }

  async leave(): Promise<void> {
    present.delete(this);
    await this.context.close();
  }
}

/** Delays the requests of a page to an address. Returns a function that lets them continue, or aborts them. */
export async function hold(
  page: Page,
  url: string | RegExp,
  then: 'continue' | 'abort' = 'continue',
): Promise<() => void> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((free) => {
    release = free;
  });
  await page.route(url, async (route) => {
    await held;
    await route[then]();
  });
  return () => {
    release();
  };
}

/**
 * Waits until a menu or a dialog contains the focus. It becomes visible a moment before its focus arrives, and ignores
 * keys until then.
 */
async function containsFocus(page: Page, role: 'menu' | 'dialog'): Promise<void> {
  await page.waitForFunction((wanted) => document.activeElement?.closest(`[role=${wanted}]`), role);
}

export const menuHasFocus = (page: Page): Promise<void> => containsFocus(page, 'menu');
export const dialogHasFocus = (page: Page): Promise<void> => containsFocus(page, 'dialog');

/** Saves a picture of the page in bin/screens. */
export async function picture(page: Page, name: string): Promise<void> {
  const path = join(SCREENS, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
}

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/**
 * Fails if axe finds anything against WCAG 2.2 A and AA, or its best practices. With `targets` it also measures whether
 * controls are large enough for a finger.
 */
export async function accessible(page: Page, what: string, { targets = false } = {}): Promise<void> {
  await page.locator('main h1').first().waitFor(); // the page is loaded, and not only its frame
  // axe measures colours, so all transitions must have ended.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((a) => a.effect?.getComputedTiming().iterations !== Infinity)
        .map((a) => a.finished.catch(() => undefined)),
    ),
  );
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(async (enabled) => {
    const { axe } = window as unknown as { axe: { run: (o: object) => Promise<{ violations: Violation[] }> } };
    const { violations: all } = await axe.run({
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled } },
    });
    // A card or a bar shows a shortened name and a running clock. Its accessible name has the whole name and the state.
    const drawn = (html: string) => html.includes('data-task=') || html.includes('data-index=');
    return all
      .map((v) => (v.id === 'label-content-name-mismatch' ? { ...v, nodes: v.nodes.filter((n) => !drawn(n.html)) } : v))
      .filter((v) => v.nodes.length > 0);
  }, targets);
  const reports = violations.map(
    (v) =>
      `${v.id}: ${v.help}\n${v.nodes
        .slice(0, 3)
        .map((n) => `    ${n.html.slice(0, 200)}\n    ${n.failureSummary ?? ''}`)
        .join('\n')}`,
  );
  expect(reports, `accessibility of ${what}`).toEqual([]);
}

/** Fails if the page is wider than its window. */
export async function fits(page: Page, what: string): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll, `${what} scrolls sideways`).toBeLessThanOrEqual(client);
  const sideways = await page
    .locator('[data-inspector]')
    .evaluateAll((drawers) => drawers.filter((drawer) => drawer.scrollWidth > drawer.clientWidth).length);
  expect(sideways, `a drawer of ${what} scrolls sideways`).toBe(0);
}
