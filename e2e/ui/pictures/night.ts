import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Server } from '../harness/server';

const execute = promisify(execFile);
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** A schedule of the pictures, with the batches that it has had. */
interface Past {
  name: string;
  /** Its document without the name. */
  document: object;
  /** Hours between two batches; the last of them is `ago` hours old. */
  every: number;
  ago: number;
  batches: number;
  /** Minutes that a batch usually takes. */
  takes: number;
  /** Batches that failed, counted back from the newest, which is 0. */
  failed?: number[];
}

const step = (key: string, tasks: Record<string, string[]>) => ({
  key,
  tasks: Object.entries(tasks).map(([name, needs]) => ({
    key: name,
    ...(needs.length > 0 && { needs }),
    handler: 'shell',
    // A batch with the parameter fail fails here.
    params: {
      command:
        name === 'load_orders'
          ? 'if [ "$fail" = 1 ]; then echo "ERROR: deadlock detected on table orders" >&2; exit 3; fi'
          : `sleep 0.0${String((name.length * 5) % 9)}`,
    },
  })),
});

const document = (title: string, cron: string, owner: string, tag: string, jobs: object[]) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  title,
  triggers: [{ cron }],
  owners: [owner],
  tags: [tag],
  params: { fail: 0 },
  jobs,
});

const WAREHOUSE = [
  step('extract', { orders: [], customers: [], stock: [], prices: [] }),
  step('load', {
    load_orders: ['orders', 'prices'],
    load_customers: ['customers'],
    load_stock: ['stock'],
  }),
  step('marts', { sales: ['load_orders', 'load_customers'], margin: ['load_orders'], supply: ['load_stock'] }),
  step('publish', { report: ['sales', 'margin', 'supply'] }),
];
const SHORT = [step('extract', { fetch: [], rates: [] }), step('load', { load_orders: [], check: [] })];

/** The schedules of the pictures. Their crons are far from the moment at which the pictures are taken. */
function schedules(hour: number): Past[] {
  const at = (ago: number) => String((((hour - ago) % 24) + 24) % 24);
  const every = (hours: number, ago: number) =>
    Array.from({ length: 24 / hours }, (_, i) => at(ago + i * hours)).join(',');
  return [
    {
      name: 'orders-warehouse',
      document: document('Orders into the warehouse', `20 ${at(6)} * * *`, 'ada', 'warehouse', WAREHOUSE),
      every: 24,
      ago: 6,
      batches: 28,
      takes: 42,
      failed: [9, 17],
    },
    {
      name: 'crm-sync',
      document: document('Customers of the CRM', `40 ${every(3, 1)} * * *`, 'kim', 'sales', SHORT),
      every: 3,
      ago: 1,
      batches: 60,
      takes: 25,
      failed: [1],
    },
    {
      name: 'stock-hourly',
      document: document('Stock of all shops', `10 ${every(2, 1)} * * *`, 'lin', 'shops', SHORT),
      every: 2,
      ago: 1,
      batches: 60,
      takes: 18,
    },
    {
      name: 'finance-close',
      document: document('Daily close', `5 ${at(21)} * * *`, 'dana', 'finance', WAREHOUSE),
      every: 24,
      ago: 21,
      batches: 28,
      takes: 75,
    },
    {
      name: 'partner-export',
      document: document('Files for partners', `30 ${at(3)} * * *`, 'kim', 'partners', SHORT),
      every: 24,
      ago: 3,
      batches: 28,
      takes: 12,
      failed: [0],
    },
  ];
}

/** Gives a server schedules and the batches of some weeks: it runs them now, and then moves their times to the past. */
export async function fillWithPast(server: Server): Promise<void> {
  const now = Date.now();
  const moves: string[] = [];
  for (const past of schedules(new Date(now).getUTCHours())) {
    await server.apply({ ...past.document, name: past.name });
    for (let back = past.batches - 1; back >= 0; back--) {
      const fails = past.failed?.includes(back);
      const args = fails ? ['--param', 'fail=1'] : [];
      const id = await server.run(past.name, { wait: true, args });
      const start = now - (past.ago + back * past.every) * HOUR;
      const longer = 1 + ((id * 37) % 30) / 100;
      moves.push(move(id, start, past.takes * MINUTE * longer * (fails ? 0.5 : 1)));
    }
  }
  await server.halt();
  const change = execute('sqlite3', ['-bail', `${server.data}/hivego.db`]);
  change.child.stdin?.end(`BEGIN;\n${moves.join('\n')}\nCOMMIT;\n`);
  await change;
  await server.again();
}

/** SQL that moves a batch to the past, and makes it as long as its real tasks would be. */
function move(id: number, start: number, takes: number): string {
  const of = `(SELECT started_at FROM batches WHERE id = ${String(id)})`;
  const length = `(SELECT max(finished_at - started_at, 1) FROM batches WHERE id = ${String(id)})`;
  const moved = (column: string) =>
    `${column} = CASE WHEN ${column} > 0 THEN ` +
    `CAST(${String(start)} + (${column} - ${of}) * ${String(takes)} / ${length} AS INTEGER) ELSE ${column} END`;
  const times = (...columns: string[]) => columns.map(moved).join(', ');
  return [
    `UPDATE attempts SET ${times('offered_at', 'started_at', 'finished_at')} WHERE batch_id = ${String(id)};`,
    `UPDATE runs SET ${times('started_at', 'finished_at', 'changed_at')} WHERE batch_id = ${String(id)};`,
    `UPDATE batches SET kind = 'scheduled', created_by = '', moment = ${String(start)}, `,
    `created_at = ${String(start)}, finished_at = ${String(Math.round(start + takes))}, `,
    `round_at = ${String(start)}, started_at = ${String(start)} `,
    `WHERE id = ${String(id)};`,
  ].join('\n');
}
