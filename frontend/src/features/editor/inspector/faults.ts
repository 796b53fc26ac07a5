import { createContext, useContext, useMemo } from 'react';
import { useStore } from 'zustand';
import { type Doc, type DocFault, placesOf } from '@/document';
import { useEditor, useFaults } from '../context';
import { newPristineFields } from '../pristineFields';

/** Faults of what a panel shows: of one task, one job, or the schedule itself. */
export const PanelFaults = createContext<readonly DocFault[]>([]);

const PLACE = /^jobs\[(\d+)\](?:\.tasks\[(\d+)\])?\.?/;

/** The field that a fault is about, in the task, job or schedule that it is about: `params.env`, `needs[2]`. */
export const fieldOf = (fault: DocFault): string => fault.field ?? fault.path.replace(PLACE, '');

/** What a fault is about: the server names places, not keys. */
export function placeOf(doc: Doc, fault: DocFault): { task?: string; job?: string } {
  if (fault.task !== undefined) return { task: fault.task };
  const [, j, t] = PLACE.exec(fault.path) ?? [];
  const job = j === undefined ? undefined : doc.jobs[Number(j)];
  if (t !== undefined) return { task: job?.tasks?.[Number(t)]?.key };
  return { job: fault.job ?? job?.key };
}

/** The faults of a task. */
export function useTaskFaults(doc: Doc, key: string): readonly DocFault[] {
  const all = useFaults();
  return useMemo(() => {
    const at = placesOf(doc).get(key);
    const place = at && `jobs[${String(at.job)}].tasks[${String(at.index)}]`;
    return all.filter(
      (fault) =>
        fault.task === key ||
        (fault.task === undefined &&
          place !== undefined &&
          (fault.path === place || fault.path.startsWith(`${place}.`))),
    );
  }, [all, doc, key]);
}

const NONE = newPristineFields();

/** The faults of a task, without the empty params of a new task that the author has not reached yet. */
export function useVisibleFaults(task: string, faults: readonly DocFault[]): readonly DocFault[] {
  const left = useStore(useEditor().pristine ?? NONE, (touched) => touched.get(task));
  return useMemo(() => {
    if (!left) return faults;
    const untouched = (fault: DocFault) =>
      fault.code === 'missing_field' && fieldOf(fault).startsWith('params.') && !left.has(fieldOf(fault));
    return faults.filter((fault) => !untouched(fault));
  }, [faults, left]);
}

/** The faults of a job, without those of its tasks. */
export function useJobFaults(doc: Doc, key: string): readonly DocFault[] {
  const all = useFaults();
  return useMemo(
    () =>
      all.filter((fault) => {
        const place = placeOf(doc, fault);
        return place.task === undefined && place.job === key;
      }),
    [all, doc, key],
  );
}

/** The faults of the schedule itself. */
export function useHeadFaults(): readonly DocFault[] {
  const all = useFaults();
  return useMemo(
    () => all.filter((fault) => fault.task === undefined && fault.job === undefined && !PLACE.test(fault.path)),
    [all],
  );
}

const below = (name: string, field: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

/** The faults at a field and below it, but for those that fields inside it show. */
export function useFaultsAt(name: string, inside?: readonly string[]): readonly DocFault[] {
  const all = useContext(PanelFaults);
  return all.filter((fault) => {
    const field = fieldOf(fault);
    return below(name, field) && !inside?.some((inner) => below(inner, field));
  });
}

/** The faults that none of these fields shows. */
export const beside = (faults: readonly DocFault[], names: readonly string[]): DocFault[] =>
  faults.filter((fault) => !names.some((name) => below(name, fieldOf(fault))));

/** Whether something is wrong at one of these fields. */
export const anyAt = (faults: readonly DocFault[], names: readonly string[]): boolean =>
  beside(faults, names).length < faults.length;
