import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, fits, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, still, tasksOn, viewTab, yamlOf } from './harness/editor';
import { Server, until } from './harness/server';

const shell = (key: string, more: object = {}) => ({
  key,
  handler: 'shell',
  params: { command: `echo ${key}` },
  ...more,
});
const plan = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: [
    { key: 'load', tasks: [shell('one'), shell('two', { title: 'Second' })] },
    { key: 'mart', tasks: [shell('three', { needs: ['one'], timeout: '10m' })] },
  ],
});

let browser: Browser;
let server: Server;
let person: Person;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  person = await Person.come(browser, server, { height: 900 });
  page = person.page;
  await person.enter();
});
afterAll(async () => {
  await person.leave();
  await browser.close();
  await server.stop();
});

const dialog = () => page.getByRole('dialog', { name: 'Tasks from rows' });
const rows = () => page.locator('tr[data-row]');
/** Copies a text as another program does, and pastes it into the page. */
async function paste(text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+v');
}

describe('rows of a spreadsheet', () => {
  it('become tasks after a preview, in one step of undo', async () => {
    await server.apply(plan('rows'));
    await edit(page, 'rows', '?view=table');
    await rows().first().waitFor();
    await paste(
      'Name\tWhat\tHandler\tCommand\tDepends on\tTimeout\n' +
        'four\tThe fourth\tshell\techo 4\tone\t5m\n' +
        'five\t\tshell\techo 5\tfour, two\tsoon\n' +
        'bad name\t\tshell\techo\t\t\n' +
        'Four\t\tshell\techo\t\t\n' +
        'one\t\tshell\techo new\t\t\n',
    );
    await dialog().waitFor();
    expect(
      await dialog()
        .locator('thead select')
        .evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value)),
    ).toEqual(['key', '', 'handler', 'params.command', 'needs', 'timeout']);
    await dialog().getByLabel('What').selectOption('title');
    await dialog().getByText('1 row names a task that exists: one').waitFor();
    await dialog()
      .getByText(/Row 4.*“bad name” is no name/s)
      .waitFor();
    await dialog()
      .getByText(/Row 5.*Row 2 has the name Four too/s)
      .waitFor();
    await dialog()
      .getByText(/Row 3.*soon/s)
      .waitFor();
    await dialog().getByText('2 new tasks, 1 changed, 1 new job: job').waitFor();
    await picture(page, 'editor/spreadsheet');
    await accessible(page, 'rows of a spreadsheet');
    await dialog().getByText('Leave out', { exact: true }).click();
    await dialog().getByRole('button', { name: 'Take 2 rows' }).click();
    await until('the rows are there', async () => (await rows().count()) === 5);
    const text = await yamlOf(page);
    expect(text).toContain('title: The fourth');
    expect(text).toContain('needs: [two, four]'.replace('two, four', 'four, two'));
    expect(text).toContain('echo one');
    await viewTab(page, 'Table').click();
    await page.getByRole('button', { name: 'Undo: Paste 2 rows' }).click();
    await page.getByText('published · v1').waitFor();
  });

  it('come back unchanged from a copy of the table, and change what was edited in it', async () => {
    await edit(page, 'rows', '?view=table');
    await rows().first().waitFor();
    await page.getByRole('button', { name: 'Copy rows' }).click();
    await page.getByText('3 rows copied, for a spreadsheet or another schedule.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.split('\n')[0]?.split('\t')).toEqual([
      'key',
      'title',
      'job',
      'handler',
      'group',
      'needs',
      'timeout',
      'retry.max',
      'priority',
      'params.command',
    ]);
    await paste(copied.replace('10m', '20m').replace('Second', 'The second'));
    await dialog().getByRole('button', { name: 'Take 3 rows' }).click();
    await dialog().waitFor({ state: 'detached' });
    const text = await yamlOf(page);
    expect(text).toContain('timeout: 20m');
    expect(text).toContain('title: The second');
    await viewTab(page, 'Table').click();
    await page.getByRole('button', { name: 'Undo: Paste 3 rows' }).click();
    await page.getByText('published · v1').waitFor();
    // Copied again without an edit, they change nothing.
    await paste(copied);
    await dialog().getByRole('button', { name: 'Take 3 rows' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('published · v1').waitFor();
  });

  it('are copied by Ctrl+C for the marked rows, and typed into the dialog', async () => {
    await edit(page, 'rows', '?view=table');
    await page.getByLabel('Mark one').check();
    await page.keyboard.press('Control+c');
    await page.getByText('1 row copied, for a spreadsheet or another schedule.').waitFor();
    expect((await page.evaluate(() => navigator.clipboard.readText())).split('\n').length).toBe(2);
    await page.getByRole('button', { name: 'Paste rows' }).click();
    await dialog().getByLabel('Rows of a spreadsheet').fill('six,sleep 1\nseven,sleep 2');
    await dialog().getByRole('button', { name: 'Preview' }).click();
    await dialog()
      .getByText(/Row 1.*six has no handler/s)
      .waitFor();
    expect(await dialog().getByRole('button', { name: 'Take 0 rows' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('are pasted on the canvas too', async () => {
    await edit(page, 'rows');
    await still(cardOf(page, 'three'));
    await page.keyboard.press('Escape');
    await page.locator('.react-flow').focus();
    await paste('name\thandler\tcommand\nseven\tshell\techo 7');
    await dialog().getByLabel('Job of new tasks').selectOption('load');
    await dialog().getByRole('button', { name: 'Take 1 row' }).click();
    await until('it is there', async () => (await tasksOn(page)).includes('seven'));
    await page.getByRole('button', { name: 'Undo: Paste 1 row' }).click();
    await page.getByText('published · v1').waitFor();
  });

  it('fit a phone, in Chinese and in the dark', async () => {
    const other = await Person.come(browser, server, { language: 'zh', dark: true, width: 390, height: 800 });
    await other.enter();
    await edit(other.page, 'rows', '?view=table');
    await other.page.getByRole('button', { name: '粘贴行' }).click();
    const panel = other.page.getByRole('dialog', { name: '由表格行生成任务' });
    await panel
      .getByLabel('电子表格的行')
      .fill('名称\t处理器\t命令\t依赖\n八\tshell\techo\t\nnine\tshell\techo 9\tone');
    await panel.getByRole('button', { name: '预览' }).click();
    await panel.getByText('“八” 不能作名称').waitFor();
    await fits(other.page, 'rows on a phone');
    await picture(other.page, 'editor/spreadsheet-zh-dark-phone');
    await accessible(other.page, 'rows on a phone');
    expect(other.errors).toEqual([]);
    await other.leave();
  });
  it('reports no error', () => {
    expect(person.errors).toEqual([]);
  });
});
