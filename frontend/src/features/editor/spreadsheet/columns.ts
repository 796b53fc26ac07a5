import { isKey, parseDuration, type Task } from '@/document';
import type { OfferedHandler } from '../context';

/** The fields of a task that have a column; `job` is the job that it is in. Each param and label has one too. */
export const FIELDS = [
  'key',
  'title',
  'description',
  'job',
  'handler',
  'group',
  'executor',
  'needs',
  'rule',
  'when',
  'timeout',
  'killGrace',
  'retry.max',
  'retry.delay',
  'retry.backoff',
  'retry.maxDelay',
  'retry.jitter',
  'retry.on',
  'retry.when',
  'onLost.do',
  'onLost.max',
  'priority',
  'pool.name',
  'pool.slots',
  'allowFailure',
  'disabled',
] as const;

/** What a column holds: one of `FIELDS`, `params.NAME` or `labels.NAME`; empty for a column that is left out. */
export type Column = string;

/** The names of columns in spreadsheets, in lower case, by their fields. Params of the same name come first. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  key: ['name', 'id', 'task', 'task name', '键', '名称', '任务', '任务名'],
  title: ['label', 'display name', '标题'],
  description: ['comment', 'notes', 'note', '说明', '描述', '备注'],
  job: ['lane', 'stage', 'step', '作业', '阶段'],
  handler: ['type', 'operator', '处理器', '类型'],
  group: ['executor group', '分组', '组'],
  executor: ['执行器'],
  needs: ['depends', 'depends on', 'dependencies', 'dependency', 'upstream', 'after', '依赖', '上游'],
  rule: ['trigger rule', 'starts when', '启动条件'],
  when: ['condition', '条件'],
  timeout: ['超时'],
  'retry.max': ['retries', 'retry', '重试', '重试次数'],
  'retry.delay': ['retry delay', '重试间隔'],
  'retry.on': ['retry on', 'retry only after', '仅重试'],
  priority: ['优先级'],
  'pool.name': ['pool', '资源池'],
  'pool.slots': ['slots', 'pool slots', '槽位'],
  disabled: ['off', '停用'],
  'params.command': ['command', 'cmd', 'script', 'sql', 'statement', '命令', '脚本'],
  'params.url': ['url', '地址'],
};

const BY_NAME = new Map<string, Column>([
  ...FIELDS.map((field) => [field.toLowerCase(), field] as const),
  ...Object.entries(NAMES).flatMap(([column, names]) => names.map((name) => [name, column] as const)),
]);

/** The field that the head of a column names; undefined if it names none. */
function columnNamed(name: string): Column | undefined {
  const plain = name.trim();
  const known = BY_NAME.get(plain.toLowerCase().replace(/[_\s]+/g, ' '));
  return known ?? (/^(params|labels)\.(?!__proto__$)\S+$/.test(plain) ? plain : undefined);
}

/** Whether the first row names the columns: at least half of its texts do, and not the same one. */
export function hasHead(rows: readonly (readonly string[])[]): boolean {
  const filled = (rows[0] ?? []).filter((cell) => cell.trim() !== '');
  const known = filled.flatMap((cell) => columnNamed(cell) ?? []);
  return known.length > 0 && known.length * 2 >= filled.length && new Set(known).size === known.length;
}

/** The columns of rows: by their head, or by what their cells look like. No field has two columns. */
export function columnsOf(
  rows: readonly (readonly string[])[],
  head: boolean,
  handlers: readonly OfferedHandler[],
): Column[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const used = new Set<Column>();
  return Array.from({ length: width }, (_, i) => {
    const column = head
      ? (columnNamed(rows[0]?.[i] ?? '') ?? '')
      : likely(
          rows.slice(0, 50).flatMap((row) => row[i]?.trim() || []),
          i,
          used,
          handlers,
        );
    if (column === '' || used.has(column)) return '';
    used.add(column);
    return column;
  });
}

function likely(
  cells: readonly string[],
  index: number,
  used: ReadonlySet<Column>,
  handlers: readonly OfferedHandler[],
): Column {
  const all = (fits: (cell: string) => boolean) => cells.length > 0 && cells.every(fits);
  const names = new Set(handlers.map(({ name }) => name));
  if (all((cell) => names.has(cell))) return 'handler';
  if (index > 0 && all((cell) => /\d[a-z]/.test(cell) && parseDuration(cell) !== undefined)) return 'timeout';
  if (!used.has('key') && all(isKey)) return 'key';
  if (!used.has('params.command')) return index > 0 || !all(isKey) ? 'params.command' : '';
  return '';
}

/** The params that a column may hold, of all handlers: each name once. */
export const paramColumns = (handlers: readonly OfferedHandler[]): Column[] =>
  [...new Set(handlers.flatMap(({ schema }) => Object.keys(schema?.properties ?? {})))].map((name) => `params.${name}`);

/** The text of a task in a column. */
export function cellOf(task: Task, job: string, column: Column): string {
  if (column === 'job') return job;
  const [first = '', ...rest] = column.split('.');
  const outer = (task as unknown as Record<string, unknown>)[first];
  const value = rest.length === 0 ? outer : (outer as Record<string, unknown> | undefined)?.[rest.join('.')];
  if (value === undefined || value === null) return '';
  if (column === 'needs') return (value as string[]).join(', ');
  if (typeof value === 'string') return first === 'params' && readsAsJson(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}

/** Whether a text would be read as a number, a list or another value, and not as a text. */
const readsAsJson = (text: string) => typeof jsonOf(text) !== 'string' || text.startsWith('"');

/** The value of a param: JSON for anything but a text. */
export function jsonOf(text: string): unknown {
  if (!/^\s*(?:[{["\d-]|true$|false$|null$)/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? text : value;
  } catch {
    return text;
  }
}

/** The columns that some tasks need: the usual ones, and all others in which one of them has a value. */
export function columnsFor(tasks: readonly Task[]): Column[] {
  const usual = ['key', 'title', 'job', 'handler', 'group', 'needs', 'timeout', 'retry.max', 'priority'];
  const named = (group: 'params' | 'labels') =>
    [...new Set(tasks.flatMap((task) => Object.keys(task[group] ?? {})))]
      .filter((name) => name !== '#')
      .map((name) => `${group}.${name}`);
  return [
    ...FIELDS.filter((field) => usual.includes(field) || tasks.some((task) => cellOf(task, '', field) !== '')),
    ...named('params'),
    ...named('labels'),
  ];
}
