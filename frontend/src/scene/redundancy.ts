import type { Rule } from '@/api/definition';

// The same rules, and the same way to find them, as package graph of the server; the vectors there bind both.
//
// A need of a task is redundant if the task would start, wait and be skipped in just the same way without it, because
// another of its needs already stands for it over a longer path. A task "vouches" for what it reads when its success
// proves theirs: its rule is all_success, it may not fail unnoticed, it cannot be ignored. A need u of task t is
// redundant if t's rule is all_success and a path u → … → t of at least one task in between exists whose inner tasks all
// vouch. A task without written needs vouches for the tasks of earlier jobs too, but only for those that can never end
// without effect, which is neutral to it.

/** What the rule looks at in a task. */
export interface Temper {
  lane: number;
  /** Numbers of tasks of earlier lanes. */
  needs: readonly number[];
  /** Without needs: it waits for all tasks of earlier lanes. */
  implicit: boolean;
  rule: Rule;
  /** It may fail, be disabled, or have a condition: its success proves nothing of its needs. */
  weak: boolean;
}

// How many tasks are followed in one pass: memory grows with the number of tasks, not with its square.
const WORDS = 16;
const BLOCK = WORDS * 32;

/** Tells each redundant need of the tasks, which are in document order. */
export function markRedundant(tasks: readonly Temper[], tell: (from: number, to: number) => void): void {
  if (!tasks.some((task) => task.needs.length > 1)) return;
  const noneable = endWithoutEffect(tasks);
  for (let first = 0; first < tasks.length; first += BLOCK) markBlock(tasks, first, noneable, tell);
}

/** Finds the redundant needs among tasks [first, first+BLOCK). */
function markBlock(
  tasks: readonly Temper[],
  first: number,
  noneable: readonly boolean[],
  tell: (from: number, to: number) => void,
): void {
  const proven = new Uint32Array((tasks.length - first) * WORDS); // what success of each task proves, as bits of the block
  const earlier = new Uint32Array(WORDS); // what a vouching task without needs proves in the current lane
  const row = (i: number) => proven.subarray((i - first) * WORDS, (i - first + 1) * WORDS);
  let lane = tasks[first]?.lane;
  let opened = first; // first task of the block in the current lane
  const close = (end: number) => {
    for (let i = opened; i < end; i++) {
      if (noneable[i]) continue;
      add(earlier, row(i));
      if (i < first + BLOCK) set(earlier, i - first);
    }
    opened = end;
  };
  for (let i = first; i < tasks.length; i++) {
    const task = tasks[i];
    if (!task) continue;
    if (task.lane !== lane) {
      close(i);
      lane = task.lane;
    }
    const vouches = task.rule === 'all_success' && !task.weak;
    if (task.implicit) {
      if (vouches) add(row(i), earlier);
      continue;
    }
    if (task.rule !== 'all_success') continue;
    const all = row(i);
    for (const need of task.needs) if (need >= first) add(all, row(need));
    for (const need of task.needs) {
      if (need >= first && need < first + BLOCK && has(all, need - first)) tell(need, i);
    }
    if (!vouches) all.fill(0);
    else for (const need of task.needs) if (need >= first && need < first + BLOCK) set(all, need - first);
  }
}

/** Of each task whether it can end without effect: skipped because its rule did not apply, or after such a skip. */
function endWithoutEffect(tasks: readonly Temper[]): boolean[] {
  const out: boolean[] = [];
  for (const task of tasks) {
    out.push(task.rule === 'all_success' ? task.needs.some((need) => out[need]) : task.rule !== 'all_done');
  }
  return out;
}

function add(to: Uint32Array, from: Uint32Array): void {
  for (let w = 0; w < WORDS; w++) to[w] = (to[w] ?? 0) | (from[w] ?? 0);
}

function set(bits: Uint32Array, i: number): void {
  bits[i >> 5] = (bits[i >> 5] ?? 0) | (1 << (i & 31));
}

function has(bits: Uint32Array, i: number): boolean {
  return (((bits[i >> 5] ?? 0) >>> (i & 31)) & 1) === 1;
}
