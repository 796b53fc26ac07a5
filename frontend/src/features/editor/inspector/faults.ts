import { createContext, useContext, useMemo } from 'react';
import { useStore } from 'zustand';
import { type Doc, type DocFault, positionsOf } from '@/document';
import { useEditor, useFaults } from '../context';
import { newPristineFields } from '../pristineFields';

/** The faults of the task, job or schedule that a panel shows. */
export const PanelFaults = createContext<readonly DocFault[]>([]);

const LOCATION = /^jobs\[(\d+)\](?:\.tasks\[(\d+)\])?\.?/;

/** The field of a fault, in its task, job or schedule: `params.env`, `needs[2]`. */
export const fieldOf = (fault: DocFault): string => fault.field ?? fault.path.replace(LOCATION, '');

/** The key of the task or job that has a fault. The server names positions instead of keys. */
export function subjectOf(doc: Doc, fault: DocFault): { task?: string; job?: string } {
  if (fault.task !== undefined) return { task: fault.task };
  const [, j, t] = LOCATION.exec(fault.path) ?? [];
  const job = j === undefined ? undefined : doc.jobs[Number(j)];
  if (t !== undefined) return { task: job?.tasks?.[Number(t)]?.key };
  return { job: fault.job ?? job?.key };
}

/** The faults of a task. */
export function useTaskFaults(doc: Doc, key: string): readonly DocFault[] {
  const all = useFaults();
  return useMemo(() => {
    const position = positionsOf(doc).get(key);
    const path = position && `jobs[${String(position.job)}].tasks[${String(position.index)}]`;
    return all.filter(
      (fault) =>
        fault.task === key ||
        (fault.task === undefined && path !== undefined && (fault.path === path || fault.path.startsWith(`${path}.`))),
    );
  }, [all, doc, key]);
}

const NO_PRISTINE_FIELDS = newPristineFields();

/** The faults of a task, without missing params of a new task whose fields have not lost the focus yet. */
export function useVisibleFaults(task: string, faults: readonly DocFault[]): readonly DocFault[] {
  const touchedFields = useStore(useEditor().pristine ?? NO_PRISTINE_FIELDS, (touched) => touched.get(task));
  return useMemo(() => {
    if (!touchedFields) return faults;
    const isUntouched = (fault: DocFault) =>
      fault.code === 'missing_field' && fieldOf(fault).startsWith('params.') && !touchedFields.has(fieldOf(fault));
    return faults.filter((fault) => !isUntouched(fault));
  }, [faults, touchedFields]);
}

/** The faults of a job, without the faults of its tasks. */
export function useJobFaults(doc: Doc, key: string): readonly DocFault[] {
  const all = useFaults();
  return useMemo(
    () =>
      all.filter((fault) => {
        const subject = subjectOf(doc, fault);
        return subject.task === undefined && subject.job === key;
      }),
    [all, doc, key],
  );
}

/** The faults of the schedule itself. */
export function useHeadFaults(): readonly DocFault[] {
  const all = useFaults();
  return useMemo(
    () => all.filter((fault) => fault.task === undefined && fault.job === undefined && !LOCATION.test(fault.path)),
    [all],
  );
}

const isAtOrBelow = (name: string, field: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

/** The faults at a field and below it, without the faults that fields inside it show. */
export function useFaultsAt(name: string, inside?: readonly string[]): readonly DocFault[] {
  const all = useContext(PanelFaults);
  return all.filter((fault) => {
    const field = fieldOf(fault);
    return isAtOrBelow(name, field) && !inside?.some((inner) => isAtOrBelow(inner, field));
  });
}

/** The faults that are at none of these fields. */
export const faultsElsewhere = (faults: readonly DocFault[], names: readonly string[]): DocFault[] =>
  faults.filter((fault) => !names.some((name) => isAtOrBelow(name, fieldOf(fault))));

/** Whether one of these fields has a fault. */
export const hasFaultAt = (faults: readonly DocFault[], names: readonly string[]): boolean =>
  faultsElsewhere(faults, names).length < faults.length;
