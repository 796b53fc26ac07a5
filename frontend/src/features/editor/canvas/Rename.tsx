import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { foldCase, isKey, jobOf, positionsOf } from '@/document';
import { jobOfMark, laneMark, type Rect, useSceneApi } from '@/scene';
import { useEditor } from '../context';
import { useCanvasState, useCanvasContext } from './canvasStore';
import styles from './Rename.module.css';

/** Edits the key of a task or a job at its card or lane. */
export function Rename() {
  const { layout, Portal } = useSceneApi();
  const { store } = useEditor();
  const renaming = useCanvasState((s) => s.renaming);
  if (renaming === undefined) return null;
  const job = jobOfMark(renaming);
  const { doc } = store.getState();
  const lane = layout.lanes.find((each) => each.key === job);
  const box =
    job === undefined ? layout.boxes.get(renaming) : lane && { x: lane.x + 44, y: lane.y + 8, width: 160, height: 32 };
  const exists = job === undefined ? positionsOf(doc).has(renaming) : jobOf(doc, job) !== undefined;
  if (!box || !exists) return null;
  return (
    <Portal>
      <Field key={renaming} box={box} oldKey={job ?? renaming} job={job !== undefined} />
    </Portal>
  );
}

function Field({ box, oldKey, job }: { box: Rect; oldKey: string; job: boolean }) {
  const { t } = useTranslation('canvas');
  const { edit, canvas, sceneStore } = useCanvasContext();
  const { root } = useSceneApi();
  const { store } = useEditor();
  const [text, setText] = useState(oldKey);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  }, []);
  const { doc } = store.getState();
  const isInUse =
    text !== oldKey &&
    (job ? doc.jobs.map((each) => each.key) : [...positionsOf(doc).keys()]).some(
      (key) => key !== oldKey && foldCase(key) === foldCase(text),
    );
  const wrong = !isKey(text) ? t('rename.bad') : isInUse ? t('rename.taken') : undefined;
  const end = (save: boolean) => {
    // Escape moves the focus, so that the field loses it: that must not save.
    if (canvas.getState().renaming === undefined) return;
    canvas.setState({ renaming: undefined });
    if (!save || wrong || text === oldKey) return;
    if (job) edit.renameJob(oldKey, text);
    else edit.renameTask(oldKey, text);
    sceneStore.setState({ active: job ? laneMark(text) : text });
  };
  return (
    <div
      className={styles.field}
      style={{ transform: `translate(${box.x}px, ${box.y}px)`, width: box.width, height: box.height }}
      data-own=""
    >
      <input
        ref={input}
        value={text}
        aria-label={t(job ? 'rename.job' : 'rename.task', { key: oldKey })}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong ? 'rename-wrong' : undefined}
        spellCheck={false}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
        onBlur={() => {
          end(true);
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key !== 'Enter' && event.key !== 'Escape') return;
          if (event.key === 'Enter' && wrong) return;
          event.preventDefault();
          end(event.key === 'Enter');
          root.current?.focus({ preventScroll: true });
        }}
      />
      {wrong && (
        <p id="rename-wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
