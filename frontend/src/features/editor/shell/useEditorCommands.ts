import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { labelText } from '@/document';
import { type PageCommand, useCommands, useVisit } from '@/features/find';
import { keyName } from '@/ui';
import { useDoc, useEditor } from '../context';
import { nextNumber, useSession } from './session';

interface EditorActions {
  publish: () => void;
  start: () => void;
  diff: () => void;
  backfill: (schedule: string) => void;
  replace: () => void;
}

/** Offers the actions of the editor and its tasks in the command bar. */
export function useEditorCommands({ publish, start, diff, backfill, replace }: EditorActions): void {
  const { t } = useTranslation(['editor', 'schedules']);
  const { t: tDocument } = useTranslation('document');
  const navigate = useNavigate();
  const session = useSession();
  const { name, store, base, goTo, search } = useEditor();
  const jobs = useDoc((s) => s.doc.jobs);
  const past = useDoc((s) => s.past.at(-1)?.label);
  const published = base !== undefined;
  const all: (PageCommand & { offered: boolean })[] = [
    {
      id: 'publish',
      label: t('editor:publish.go', { revision: nextNumber(session) }),
      keys: keyName('Enter').replace('+', ' '),
      words: ['publish'],
      offered: session.changed,
      run: publish,
    },
    { id: 'run', label: t('editor:run'), words: ['run'], offered: true, run: start },
    {
      id: 'backfill',
      label: t('schedules:menu.backfill'),
      words: ['backfill'],
      offered: published,
      run: () => {
        backfill(name);
      },
    },
    { id: 'diff', label: t('editor:diff.open'), words: ['diff'], offered: published, run: diff },
    {
      id: 'undo',
      label: past ? t('editor:undo.what', { what: labelText(tDocument, past) }) : '',
      keys: keyName('Z').replace('+', ' '),
      words: ['undo'],
      offered: past !== undefined,
      run: () => {
        store.getState().undo();
      },
    },
    {
      id: 'replace',
      label: t('editor:menu.replace'),
      keys: 'Ctrl H',
      words: ['replace', 'search'],
      offered: true,
      run: replace,
    },
    {
      id: 'batches',
      label: t('editor:schedule.batches'),
      words: ['batches'],
      offered: published,
      run: () => void navigate({ to: '/batches', search: { schedule: name } }),
    },
    {
      id: 'ticks',
      label: t('editor:schedule.ticks'),
      words: ['ticks'],
      offered: published,
      run: () => void navigate({ to: '/schedules/$name/ticks', params: { name } }),
    },
  ];
  useVisit({ kind: 'schedule', name });
  useCommands({
    commands: all.filter(({ offered }) => offered),
    tasks: useMemo(
      () => (jobs ?? []).flatMap((job) => (job.tasks ?? []).map(({ key, title }) => ({ key, title }))),
      [jobs],
    ),
    openTask: (task) => {
      const hasTasks = search.view !== 'settings' && search.view !== 'history';
      goTo({ task, job: undefined, view: hasTasks ? search.view : undefined });
    },
  });
}
