import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { problemText } from '@/api/problem';
import { lazyPreload, toast } from '@/ui';

const ConfirmArchive = lazyPreload(async () => (await import('./ConfirmArchive')).ConfirmArchive);

interface Archive {
  /** Archives a schedule. If others wait for it, the user is asked first. */
  archive: (name: string) => Promise<void>;
  unarchive: (name: string) => Promise<void>;
  /** The dialog. Render it once in the page. */
  node: ReactNode;
}

/** Archives and unarchives schedules. A notice reports the result; the one about an archived schedule has Undo. */
export function useArchive(): Archive {
  const { t } = useTranslation('archive');
  const { t: problems } = useTranslation('problems');
  const client = useQueryClient();
  const [waitedFor, setWaitedFor] = useState<{ name: string; schedules: string[] }>();
  const put = useCallback(
    async (name: string, archived: boolean, confirmed?: boolean): Promise<boolean> => {
      try {
        await data(
          api.PUT('/api/v1/schedules/{name}/archived', { params: { path: { name } }, body: { archived, confirmed } }),
        );
        return true;
      } catch (error) {
        const schedules = dependantsIn(error);
        if (schedules) {
          setWaitedFor({ name, schedules });
        } else {
          const { title, detail } = problemText(error, problems);
          toast(`${title}. ${detail}`, { error: true });
        }
        return false;
      } finally {
        void client.invalidateQueries({ queryKey: keys.schedules });
        void client.invalidateQueries({ queryKey: keys.schedule(name) });
        void client.invalidateQueries({ queryKey: keys.overview });
      }
    },
    [client, problems],
  );
  const unarchive = useCallback(
    async (name: string) => {
      if (await put(name, false)) toast(t('back', { name }));
    },
    [put, t],
  );
  const archive = useCallback(
    async (name: string, confirmed?: boolean) => {
      if (!(await put(name, true, confirmed))) return;
      toast(t('done', { name }), { action: { label: t('undo'), run: () => void unarchive(name) } });
    },
    [put, t, unarchive],
  );
  const node = waitedFor && (
    <ConfirmArchive
      {...waitedFor}
      onClose={() => {
        setWaitedFor(undefined);
      }}
      onConfirm={() => {
        setWaitedFor(undefined);
        void archive(waitedFor.name, true);
      }}
    />
  );
  return { archive, unarchive, node };
}

/** The schedules that an answer of the server names as waiting. */
function dependantsIn(error: unknown): string[] | undefined {
  if (!(error instanceof ApiError) || error.problem.reason !== 'schedule_waited_for') return undefined;
  return error.problem.params?.schedules?.split(', ');
}
