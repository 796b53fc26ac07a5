import type { Definition, DefinitionTask, Rule } from '@/api/definition';

// The same rule and algorithm as in package graph of the server; both must pass the test vectors there.
//
// A need of a task is redundant if the task would start, wait and be skipped in just the same way without it, because
// another need already implies it over a longer path. A task "proves its needs" if its success proves theirs: its
// rule is all_success, it may not fail unnoticed, and it cannot be ignored. A need u of task t is redundant if t's
// rule is all_success and there is a path u → … → t with at least one inner task, whose inner tasks all prove their
// needs. A task without written needs proves the tasks of earlier jobs too, except those that can end without effect,
// which is neutral.

/** The name of a dependency in a set: `from>to`. No key holds a `>`. */
export const edgeKey = (from: string, to: string): string => `${from}>${to}`;

/** A task as the rule sees it. */
export interface RuleNode {
  lane: number;
  /** Numbers of tasks of earlier lanes. */
  needs: readonly number[];
  /** It has no needs: it waits for all tasks of earlier lanes. */
  implicit: boolean;
  rule: Rule;
  /** It may fail, it or its job is disabled, or it has a condition: its success proves nothing about its needs. */
  weak: boolean;
}

/** The tasks of a definition as the rule sees them, in document order. */
interface Rules {
  nodes: readonly RuleNode[];
  keys: readonly string[];
  numberOf: ReadonlyMap<string, number>;
  /** Whether each task can end without effect: skipped because its rule did not apply, or after such a skip. */
  endsWithoutEffect: readonly boolean[];
  /** The proofs of the task that was asked for last. */
  last?: Proofs;
}

const rules = new WeakMap<Definition, Rules>();

/** The rule's view of a definition; computed once for each definition. */
export function rulesOf(definition: Definition): Rules {
  const cached = rules.get(definition);
  if (cached) return cached;
  const laneOf = new Map<string, number>();
  const tasks: { spec: DefinitionTask; off?: boolean; lane: number; needs: string[] }[] = [];
  for (const [lane, job] of definition.jobs.entries()) {
    for (const spec of job.tasks ?? []) {
      const needs = [...new Set(spec.needs)].filter((need) => (laneOf.get(need) ?? lane) < lane);
      tasks.push({ spec, off: spec.disabled || job.disabled, lane, needs });
    }
    for (const spec of job.tasks ?? []) laneOf.set(spec.key, lane);
  }
  const keys = tasks.map(({ spec }) => spec.key);
  const numberOf = new Map(keys.map((key, i) => [key, i]));
  const nodes = tasks.map(({ spec, off, lane, needs }): RuleNode => ({
    lane,
    needs: needs.map((need) => numberOf.get(need) ?? 0),
    implicit: needs.length === 0,
    rule: spec.rule ?? 'all_success',
    weak: Boolean(spec.allowFailure) || Boolean(off) || Boolean(spec.when),
  }));
  const endsWithoutEffect: boolean[] = [];
  for (const node of nodes) {
    endsWithoutEffect.push(
      node.rule === 'all_success' ? node.needs.some((need) => endsWithoutEffect[need]) : node.rule !== 'all_done',
    );
  }
  const made = { nodes, keys, numberOf, endsWithoutEffect };
  rules.set(definition, made);
  return made;
}

const redundant = new WeakMap<Definition, ReadonlySet<string>>();

// The number of tasks followed in one pass: memory grows with the number of tasks, not with its square.
const BLOCK = 512;

/** All redundant needs of a definition, as `edgeKey`; computed once for each definition. */
export function redundantNeeds(definition: Definition): ReadonlySet<string> {
  const cached = redundant.get(definition);
  if (cached) return cached;
  const all = rulesOf(definition);
  const { nodes, keys } = all;
  const found = new Set<string>();
  if (nodes.some((node) => node.needs.length > 1)) {
    for (let first = 0; first < nodes.length; first += BLOCK) {
      const proofs = new Proofs(all, first, BLOCK);
      for (let task = first; task < nodes.length; task++) {
        for (const need of proofs.impliedNeeds(task)) found.add(edgeKey(keys[need] ?? '', keys[task] ?? ''));
      }
    }
  }
  redundant.set(definition, found);
  return found;
}

/**
 * Whether a need that is not written would be redundant. While a dependency is drawn this is asked at each move of the
 * pointer: the proofs of its source are computed once.
 */
export function wouldBeRedundant(definition: Definition, from: string, to: string): boolean {
  const all = rulesOf(definition);
  const [need, task] = [all.numberOf.get(from), all.numberOf.get(to)];
  if (need === undefined || task === undefined) return false;
  if (all.last?.first !== need) all.last = new Proofs(all, need, 1);
  return all.last.imply(need, task);
}

/** Which tasks prove the success of the tasks [first, first + size), as bits: one row for each task from `first` on. */
class Proofs {
  private readonly words: number;
  private readonly rows: Uint32Array;

  constructor(
    private readonly all: Rules,
    readonly first: number,
    private readonly size: number,
  ) {
    const { nodes } = all;
    this.words = Math.ceil(size / 32);
    this.rows = new Uint32Array(Math.max(0, nodes.length - first) * this.words);
    // What the success of a task without needs proves in the current lane.
    const earlier = new Uint32Array(this.words);
    let lane = nodes[first]?.lane;
    let closed = first; // tasks before it are in `earlier`
    for (let i = first; i < nodes.length; i++) {
      const node = nodes[i];
      if (!node) continue;
      if (node.lane !== lane) {
        for (; closed < i; closed++) this.addUnlessNeutral(earlier, closed);
        lane = node.lane;
      }
      if (node.rule !== 'all_success' || node.weak) continue;
      const row = this.row(i);
      if (node.implicit) add(row, earlier);
      for (const need of node.needs) this.addWithProofs(row, need);
    }
  }

  /** The written needs of a task, among [first, first + size), whose success its other needs prove. */
  impliedNeeds(task: number): number[] {
    const end = this.first + this.size;
    const needs = this.all.nodes[task]?.needs.filter((need) => need >= this.first && need < end) ?? [];
    const proven = needs.length > 0 ? this.provenByNeeds(task) : undefined;
    return proven ? needs.filter((need) => has(proven, need - this.first)) : [];
  }

  /** Whether the written needs of a task prove the success of `need`, which is one of [first, first + size). */
  imply(need: number, task: number): boolean {
    const proven = this.provenByNeeds(task);
    return proven !== undefined && has(proven, need - this.first);
  }

  /** What the success of a task's needs proves beside their own; undefined where no need can be redundant. */
  private provenByNeeds(task: number): Uint32Array | undefined {
    const node = this.all.nodes[task];
    if (node?.rule !== 'all_success' || task < this.first) return undefined;
    const proven = new Uint32Array(this.words);
    for (const need of node.needs) if (need >= this.first) add(proven, this.row(need));
    return proven;
  }

  private row(task: number): Uint32Array {
    const at = (task - this.first) * this.words;
    return this.rows.subarray(at, at + this.words);
  }

  private addWithProofs(to: Uint32Array, task: number): void {
    if (task < this.first) return;
    add(to, this.row(task));
    if (task < this.first + this.size) set(to, task - this.first);
  }

  private addUnlessNeutral(to: Uint32Array, task: number): void {
    if (!this.all.endsWithoutEffect[task]) this.addWithProofs(to, task);
  }
}

function add(to: Uint32Array, from: Uint32Array): void {
  for (let w = 0; w < to.length; w++) to[w] = (to[w] ?? 0) | (from[w] ?? 0);
}

function set(bits: Uint32Array, i: number): void {
  bits[i >> 5] = (bits[i >> 5] ?? 0) | (1 << (i & 31));
}

function has(bits: Uint32Array, i: number): boolean {
  return (((bits[i >> 5] ?? 0) >>> (i & 31)) & 1) === 1;
}
