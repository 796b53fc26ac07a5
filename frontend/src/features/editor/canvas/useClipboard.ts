import { useTranslation } from 'react-i18next';
import { copyJobs, copyTasks, paste, readClip } from '@/document';
import { useEditor } from '../context';
import { jobOfMark } from '@/scene';
import { useParts } from './desk';
import { jobHere } from './outcome';

/** Copies, cuts and pastes what is selected as text, so that it goes to other schedules and tabs, too. */
export function useClipboard() {
  const { store } = useEditor();
  const { acts, desk, stage } = useParts();
  const { t } = useTranslation('canvas');
  const say = (said: string) => {
    desk.setState({ said });
  };
  const text = (keys?: readonly string[]) => {
    const {
      doc,
      selection: { tasks, job },
    } = store.getState();
    return keys === undefined && job !== undefined ? copyJobs(doc, [job]) : copyTasks(doc, keys ?? tasks);
  };
  const put = (source: string, job?: string) => {
    const clip = readClip(source);
    if (!clip) say(t('clip.nothing'));
    else
      store
        .getState()
        .apply(paste(store.getState().doc, clip, job ?? jobHere(store, jobOfMark(stage.getState().active))));
  };
  const denied = () => {
    say(t('clip.denied'));
  };
  return {
    text,
    put,
    said: () => {
      say(t('clip.copied'));
    },
    copy: (keys: readonly string[]) => {
      const source = text(keys);
      if (source !== undefined)
        void navigator.clipboard.writeText(source).then(() => {
          say(t('clip.copied'));
        }, denied);
    },
    cut: (keys: readonly string[]) => {
      const source = text(keys);
      if (source !== undefined)
        void navigator.clipboard.writeText(source).then(() => {
          acts.removeTasks(keys);
        }, denied);
    },
    paste: (job?: string) =>
      void navigator.clipboard.readText().then((source) => {
        put(source, job);
      }, denied),
  };
}
