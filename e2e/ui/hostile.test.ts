import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card } from './harness/batch';
import { accessible, fits, openBrowser, Person, picture } from './harness/browser';
import { still } from './harness/editor';
import { IMAGE, ranNoScript, reportPolicyViolations, REVERSED, SCRIPT } from './harness/hostile';
import { Server } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const ANSI = '\u001b[31mred\u001b[0m \u001b]8;;javascript:window.owned=3\u0007click\u001b]8;;\u0007';
const LONG = 'wide'.repeat(2500);
const ARABIC = 'تقرير المبيعات اليومي لجميع الفروع والمناطق مع تفاصيل العملاء والمنتجات والمخزون والشحنات والمدفوعات';
const TITLE = 'wide'.repeat(50); // no title is longer

describe('hostile names and logs', () => {
  let server: Server;
  let person: Person;
  let id: number;
  beforeAll(async () => {
    server = await Server.begun();
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'hostile',
      title: `${IMAGE} ${SCRIPT}`,
      description: REVERSED + LONG,
      params: { evil: `${SCRIPT}${IMAGE}`, link: 'javascript:window.owned=4', long: LONG },
      jobs: [
        {
          key: 'first',
          title: (IMAGE + TITLE).slice(0, 200),
          description: SCRIPT,
          tasks: [
            {
              key: 'image',
              title: IMAGE,
              description: SCRIPT,
              handler: 'shell',
              params: {
                command: [
                  `printf '%s\\n' "$evil" "$link"`,
                  `printf '${ANSI.replaceAll('\u001b', '\\033').replaceAll('\u0007', '\\007')}\\n'`,
                  `printf 'NUL \\000 and bad \\377\\376 bytes\\n'`,
                  `echo "result=$evil" >> "$HIVEGO_OUTPUT"`,
                ].join('; '),
              },
            },
            {
              key: 'script',
              title: SCRIPT,
              handler: 'shell',
              params: { command: 'echo "$evil" >&2; echo "$long" >&2; exit 1' },
            },
            {
              key: 'turned',
              description: REVERSED,
              handler: 'shell',
              params: { command: `printf '%s\\n' '${REVERSED}'` },
            },
            { key: 'arabic', title: ARABIC, handler: 'shell', params: { command: 'true' } },
            {
              key: 'k'.repeat(128),
              title: TITLE,
              description: LONG,
              handler: 'shell',
              params: { command: 'echo "$long$long$long"' },
            },
          ],
        },
        {
          key: 'second',
          description: REVERSED,
          tasks: [
            {
              key: 'after',
              title: (SCRIPT + TITLE).slice(0, 200),
              handler: 'shell',
              needs: ['script'],
              params: { command: 'true' },
            },
          ],
        },
      ],
    });
    id = await server.run('hostile', { wait: true });
    person = await Person.come(browser, server, { height: 900 });
    await reportPolicyViolations(person.page);
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it.each([1280, 390])('stay text, and fit, on every page (%i pixels wide)', async (width) => {
    const { page } = person;
    await page.setViewportSize({ width, height: 900 });
    const visit = async (path: string, ready: () => Promise<unknown>) => {
      await page.goto(path);
      await ready();
      await fits(page, `${path} at ${String(width)}`);
      await accessible(page, path);
      await ranNoScript(page, path);
    };
    const batch = `/batches/${String(id)}`;
    await visit('/', () => page.getByRole('link', { name: 'hostile' }).first().waitFor());
    await visit('/batches', () => page.getByText('hostile').first().waitFor());
    await visit(batch, () =>
      (width > 600 ? card(page, 'image') : page.getByRole('button', { name: /script/ }).first()).waitFor(),
    );
    await picture(page, `hostile/graph-${String(width)}`);
    for (const view of ['timeline', 'table', 'params', 'history'])
      await visit(`${batch}?view=${view}`, () =>
        page.getByRole('navigation', { name: 'Views of the batch' }).waitFor(),
      );
    const task = (key: string, tab = '') => `${batch}?task=${key}${tab && `&tab=${tab}`}`;
    await visit(task('image'), () => page.getByText(IMAGE).last().waitFor());
    const log = page.getByRole('region', { name: /^Log of image/ });
    await log.getByText('red', { exact: false }).first().waitFor();
    await picture(page, `hostile/log-${String(width)}`);
    await visit(task('image', 'outputs'), () =>
      page
        .getByText(/result/)
        .first()
        .waitFor(),
    );
    await visit(task('image', 'command'), () =>
      page
        .getByText(/printf/)
        .first()
        .waitFor(),
    );
    await visit(task('script'), () =>
      page
        .getByRole('region', { name: /^Log of script/ })
        .getByText(/script>window/)
        .first()
        .waitFor(),
    );
    await visit(task('turned'), () =>
      page
        .getByRole('region', { name: /^Log of turned/ })
        .getByText(/exe/)
        .first()
        .waitFor(),
    );
    await visit(task('k'.repeat(128)), () =>
      page
        .getByRole('region', { name: /^Log of k+/ })
        .getByText(/widewide/)
        .first()
        .waitFor(),
    );
    await visit(`${batch}?task=${encodeURIComponent(SCRIPT)}`, () =>
      page
        .getByText(/has no task|no such task/)
        .first()
        .waitFor(),
    );
    await visit(`${batch}?view=table&q=${encodeURIComponent(IMAGE)}`, () =>
      page.getByRole('button', { name: IMAGE, exact: true }).waitFor(),
    );
    await visit(`${batch}?view=table&q=${encodeURIComponent(ANSI)}`, () => page.getByText('No task matches').waitFor());
    await visit(`/batches?schedule=${encodeURIComponent(SCRIPT)}`, () =>
      page
        .getByRole('main')
        .getByText(/No batch matches|That does not work|That is not there/)
        .first()
        .waitFor(),
    );
    await visit(`/schedules/${encodeURIComponent(SCRIPT)}/ticks`, () => page.getByRole('main').waitFor());
    // The run dialog shows the parameters as they are declared.
    await page.goto('/');
    await page
      .getByRole('button', { name: /^(Run|Resume) hostile…$/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Run now|Resume 2 tasks)$/ })
      .waitFor();
    await fits(page, 'the dialog');
    await page.keyboard.press('Escape');
    await ranNoScript(page, 'the dialog');
    expect(person.errors).toEqual([]);
  });

  it.each(['/batches/ID?view=timeline', '/schedules/hostile?view=table'])(
    'are truncated at their end, also where they read from right to left (%s)',
    async (path) => {
      const { page } = person;
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(path.replace('ID', String(id)));
      const name = page.locator('bdi', { hasText: ARABIC }).first();
      const { room, first, cut } = await still(name).then(() =>
        name.evaluate((element) => {
          const letter = document.createRange();
          letter.setStart(element.firstChild ?? element, 0);
          letter.setEnd(element.firstChild ?? element, 1);
          return {
            room: element.getBoundingClientRect().toJSON() as DOMRect,
            first: letter.getBoundingClientRect().toJSON() as DOMRect,
            cut: element.scrollWidth > element.clientWidth,
          };
        }),
      );
      expect(cut).toBe(true);
      expect(first.left).toBeGreaterThanOrEqual(room.left);
      expect(first.right).toBeLessThanOrEqual(room.right + 1);
    },
  );
});
