import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Definition } from '@/api/definition';
import { toGraph } from '@/graph';
import { layoutGraph } from './layout';
import { anyDefinition, written } from '@/graph/testing';
import type { Layout } from './types';

const WIDTH = 1280;
const first = (definition: Definition) => layoutGraph(toGraph(definition), { width: WIDTH });
const after = (before: Definition, now: Definition, drawn = first(before)) =>
  layoutGraph(toGraph(now), { width: WIDTH, previous: { graph: toGraph(before), layout: drawn } });
const ranks = (drawn: Layout, lane: number) =>
  [...drawn.boxes.values()]
    .filter((box) => box.lane === lane)
    .sort((a, b) => a.x - b.x || a.row - b.row)
    .map((box) => box.key);

interface Edit {
  definition: Definition;
  now: Definition;
  touched: ReadonlySet<string>;
  lanes: ReadonlySet<number>;
}

/** A document before and after one edit: a task or a need is added or removed. */
const edits: fc.Arbitrary<Edit> = fc
  .tuple(anyDefinition({ jobs: 6, tasks: 9 }), fc.constantFrom('add', 'remove', 'need', 'unneed'), fc.nat(), fc.nat())
  .map(([definition, what, a, b]) => {
    const now = structuredClone(definition);
    const lane = a % now.jobs.length;
    const tasks = (now.jobs[lane]!.tasks ??= []);
    const task = tasks[b % Math.max(1, tasks.length)];
    const touched = new Set<string>();
    const lanes = new Set<number>();
    if (what === 'add') {
      tasks.splice(b % (tasks.length + 1), 0, { key: 'new', handler: 'shell' });
      touched.add('new');
      lanes.add(lane);
    } else if (task && what === 'remove') {
      tasks.splice(tasks.indexOf(task), 1);
      touched.add(task.key);
      lanes.add(lane);
      now.jobs.forEach((job, i) =>
        job.tasks?.forEach((other) => {
          if (!other.needs?.includes(task.key)) return;
          other.needs = other.needs.filter((need) => need !== task.key);
          touched.add(other.key);
          lanes.add(i);
        }),
      );
    } else if (task && what === 'need') {
      const earlier = now.jobs.slice(0, lane).flatMap((job) => job.tasks ?? []);
      const need = earlier[b % Math.max(1, earlier.length)];
      if (need && !task.needs?.includes(need.key)) {
        task.needs = [...(task.needs ?? []), need.key];
        touched.add(task.key);
        lanes.add(lane);
      }
    } else if (task?.needs?.length) {
      task.needs = task.needs.slice(1);
      touched.add(task.key);
      lanes.add(lane);
    }
    return { definition, now, touched, lanes };
  });

/** Whether an edit touches so few tasks that the former layout is reused. After a larger edit all cards may move. */
const isSmall = (touched: ReadonlySet<string>, now: { jobs: { tasks?: unknown[] | null }[] }) =>
  touched.size <= Math.max(8, now.jobs.flatMap((job) => job.tasks ?? []).length / 2);

describe('layout after an edit', () => {
  it('is the same without an edit', () => {
    fc.assert(
      fc.property(anyDefinition({ jobs: 6, tasks: 9 }), (definition) => {
        const drawn = first(definition);
        const next = after(definition, structuredClone(definition), drawn);
        expect([next.boxes, next.lanes]).toEqual([drawn.boxes, drawn.lanes]);
      }),
    );
  });

  it('keeps the order of untouched cards in each lane', () => {
    fc.assert(
      fc.property(edits, ({ definition, now, touched }) => {
        if (!isSmall(touched, now)) return;
        const [before, next] = [first(definition), after(definition, now)];
        definition.jobs.forEach((_, lane) => {
          const kept = (keys: string[]) => keys.filter((key) => !touched.has(key));
          expect(kept(ranks(next, lane))).toEqual(kept(ranks(before, lane)));
        });
      }),
    );
  });

  it('moves no card sideways in an untouched lane', () => {
    fc.assert(
      fc.property(edits, ({ definition, now, touched, lanes }) => {
        if (!isSmall(touched, now)) return;
        const [before, next] = [first(definition), after(definition, now)];
        for (const box of before.boxes.values())
          if (!lanes.has(box.lane)) expect(next.boxes.get(box.key)?.x).toBe(box.x);
      }),
    );
  });

  it('keeps cards apart and within their lanes, and edges off cards', () => {
    fc.assert(
      fc.property(edits, ({ definition, now }) => {
        const drawn = after(definition, now);
        const boxes = [...drawn.boxes.values()];
        const wrong: string[] = [];
        boxes.forEach((a, i) =>
          boxes.slice(i + 1).forEach((b) => {
            if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
              wrong.push(`${a.key} over ${b.key}`);
          }),
        );
        for (const box of boxes) {
          const lane = drawn.lanes[box.lane]!;
          if (
            box.x < lane.x ||
            box.x + box.width > lane.x + lane.width ||
            box.y < lane.y ||
            box.y + box.height > lane.y + lane.height
          )
            wrong.push(`${box.key} leaves its lane`);
        }
        for (const { from, to, points } of drawn.edges) {
          points.slice(1).forEach((p, i) => {
            const at = points[i]!;
            for (const box of boxes) {
              if (
                at.y < box.y + box.height &&
                box.y < p.y &&
                Math.min(at.x, p.x) <= box.x + box.width &&
                box.x <= Math.max(at.x, p.x)
              )
                wrong.push(`${from} > ${to} through ${box.key}`);
            }
          });
        }
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('leaves the gap of a removed card', () => {
    const before = written(['a', 'b', 'c']);
    const [drawn, next] = [first(before), after(before, written(['a', 'c']))];
    for (const key of ['a', 'c']) expect(next.boxes.get(key)).toEqual(drawn.boxes.get(key));
  });

  it('puts a dropped card at the drop position', () => {
    const before = written(['a', 'b'], ['c: a', 'd: b']);
    expect(ranks(after(before, written(['a', 'new', 'b'], ['c: a', 'd: b'])), 0)).toEqual(['a', 'new', 'b']);
  });

  it('follows a task that was moved in its lane', () => {
    const before = written(['a', 'b', 'c', 'd']);
    expect(ranks(after(before, written(['b', 'c', 'a', 'd'])), 0)).toEqual(['b', 'c', 'a', 'd']);
    expect(ranks(after(before, written(['d', 'a', 'b', 'c'])), 0)).toEqual(['d', 'a', 'b', 'c']);
  });

  it('puts a new task near its needs', () => {
    const before = written(['a', 'b', 'c'], ['d: b', 'e: c']);
    expect(ranks(after(before, written(['a', 'b', 'c'], ['d: b', 'e: c', 'new: a'])), 1)).toEqual(['new', 'd', 'e']);
  });

  it('follows a renamed task', () => {
    const before = written(['a', 'b', 'c'], ['d: c', 'e: b', 'f: a']);
    const drawn = first(before);
    const next = after(before, written(['a', 'x', 'c'], ['d: c', 'e: x', 'f: a']), drawn);
    expect(next.boxes.get('x')).toEqual({ ...drawn.boxes.get('b'), key: 'x' });
    for (const key of ['a', 'c', 'd', 'e', 'f']) expect(next.boxes.get(key)).toEqual(drawn.boxes.get(key));
  });

  it('follows a lane that was moved', () => {
    const before = written(['a'], ['b', 'c'], ['d', 'e', 'f']);
    const drawn = first(before);
    const [one, two, three] = before.jobs;
    const next = after(before, { ...before, jobs: [one!, three!, two!] }, drawn);
    for (const box of drawn.boxes.values()) expect(next.boxes.get(box.key)?.x).toBe(box.x);
  });

  it('reuses nothing if too much has changed', () => {
    const before = written(['a', 'b', 'c', 'd', 'e', 'f']);
    const other = written(['g', 'h', 'i', 'j', 'k', 'l'], ['m: l', 'n: k', 'o: j']);
    expect(after(before, other)).toEqual(first(other));
  });
});
