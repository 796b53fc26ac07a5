import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useArchive } from '@/features/archive';
import { useBackfillDialog } from '@/features/backfill';
import { useNewSchedule } from '@/features/create';
import { useRename } from '@/features/rename';
import { useRun } from '@/features/run';
import { keyName, lazyPreload, NeedsServer, toast, useCommandGuard } from '@/ui';
import { labelText, type Label } from '@/document';
import { useDoc, useEditor, useFaults } from '../context';
import { touchAll } from '../pristineFields';
import { useKeys } from '../keys';
import { useReplace } from '../replace/useReplace';
import { countKinds, type Walk } from './faultGroups';
import { nextNumber, useSession } from './session';
import { useEditorCommands } from './useEditorCommands';
import styles from './Header.module.css';

const PublishDialog = lazyPreload(async () => (await import('./PublishDialog')).PublishDialog);
const FaultWalk = lazyPreload(async () => (await import('./FaultWalk')).FaultWalk);

/** The actions for the schedule in the editor. */
export function Actions() {
  const { t } = useTranslation('editor');
  const { name, store, pristine, goTo } = useEditor();
  const {
    draft: { base, state },
    changed,
    onPublished,
  } = useSession();
  const run = useRun();
  const [dialog, setAsked] = useState<{ turn: number; run: boolean }>();
  const [opened, setOpened] = useState(false);
  const [walk, setWalk] = useState<Walk>();
  const replace = useReplace();
  const mayStart = useCommandGuard();
  const publish = (thenRun = false) => {
    if (!mayStart()) return;
    setWalk(undefined);
    touchAll(pristine);
    setAsked((before) => ({ turn: (before?.turn ?? 0) + 1, run: thenRun }));
    setOpened(true);
  };
  const start = () => {
    if (changed) publish(true);
    else if (mayStart()) run.open(name);
  };
  const diff = () => {
    goTo({ view: 'history', from: undefined, to: undefined });
  };
  useKeys({
    undo: () => {
      store.getState().undo();
    },
    redo: () => {
      store.getState().redo();
    },
    save: () => {
      toast(
        t(state === 'offline' || state === 'failed' ? `saved.${state}` : changed ? 'saved.already' : 'saved.nothing'),
      );
    },
    publish: () => {
      if (changed) publish();
      else toast(t('publish.nothing', { revision: base?.revision }));
    },
    replace: replace.open,
  });
  const backfill = useBackfillDialog();
  const fill = (schedule: string) => {
    if (mayStart()) backfill.open(schedule);
  };
  useEditorCommands({ publish, start, diff, backfill: fill, replace: replace.open });
  return (
    <>
      <UndoRedo />
      <span className={styles.wide}>
        <Button onClick={diff} disabled={!base}>
          {t('diff.open')}
        </Button>
      </span>
      <span className={styles.wide}>
        <NeedsServer>
          <Button onClick={start}>{t('run')}</Button>
        </NeedsServer>
      </span>
      <PublishButton onGo={publish} />
      <MoreMenu onDiff={diff} onRun={start} onReplace={replace.open} />
      {dialog && (
        <PublishDialog
          key={dialog.turn}
          opened={opened}
          run={dialog.run}
          onClose={() => {
            setOpened(false);
          }}
          onPublished={onPublished}
          onRun={(of) => {
            run.open(of);
          }}
          onWalk={setWalk}
        />
      )}
      {walk && (
        <FaultWalk
          key={dialog?.turn}
          walk={walk}
          onEnd={() => {
            setWalk(undefined);
          }}
          onPublish={() => {
            publish();
          }}
        />
      )}
      {run.node}
      {backfill.node}
      {replace.node}
    </>
  );
}

/**
 * The only button of the page in the accent colour. Its tooltip says that there is nothing to publish, or how many
 * faults must be corrected first.
 */
function PublishButton({ onGo }: { onGo: () => void }) {
  const { t } = useTranslation('editor');
  const session = useSession();
  const {
    changed,
    draft: { base, conflicts },
  } = session;
  const { wrong, empty } = countKinds(useFaults());
  const faults = wrong + conflicts.length;
  const hint = !changed
    ? t('publish.nothing', { revision: base?.revision })
    : faults > 0
      ? t('publish.faults', { count: faults })
      : empty > 0
        ? t('publish.emptyHint', { count: empty })
        : t('publish.hint', { key: keyName('Enter') });
  return (
    <Tooltip label={hint} multiline maw={280}>
      <NeedsServer>
        <Button
          variant="filled"
          className={styles.publish}
          aria-disabled={!changed || undefined}
          onClick={() => {
            if (changed) onGo();
          }}
        >
          {t('publish.go', { revision: nextNumber(session) })}
          {faults > 0 && changed && (
            <span className={styles.count} aria-label={t('publish.faultCount', { count: faults })}>
              {faults}
            </span>
          )}
          {faults === 0 && empty > 0 && changed && (
            <span className={styles.toFill}>{t('publish.toFill', { count: empty })}</span>
          )}
        </Button>
      </NeedsServer>
    </Tooltip>
  );
}

/** Ctrl on a Mac too, where Cmd+H hides the window. */
const REPLACE_KEY = 'Ctrl+H';

interface MoreMenuProps {
  onDiff: () => void;
  onRun: () => void;
  onReplace: () => void;
}

/** The menu of the other actions, and on a narrow screen of the buttons that have no room. */
function MoreMenu({ onDiff, onRun, onReplace }: MoreMenuProps) {
  const { t } = useTranslation(['editor', 'schedules', 'rename']);
  const { name, base } = useEditor();
  const {
    changed,
    draft: { discard },
  } = useSession();
  const create = useNewSchedule();
  const { archive, node: archiveDialog } = useArchive();
  const rename = useRename();
  const discardDraft = () => {
    discard().then(
      () => {
        toast(t('editor:menu.discarded', { key: keyName('Z') }));
      },
      () => undefined,
    ); // the header shows the failure
  };
  return (
    <>
      <Menu position="bottom-end" width={230} shadow="lg" loop>
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label={t('editor:menu.label')}>
            <svg viewBox="0 0 16 16" width={16} height={16} fill="currentColor" aria-hidden="true">
              <circle cx="3" cy="8" r="1.4" />
              <circle cx="8" cy="8" r="1.4" />
              <circle cx="13" cy="8" r="1.4" />
            </svg>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item hiddenFrom="54em" onClick={onDiff} disabled={base === undefined}>
            {t('editor:diff.open')}
          </Menu.Item>
          <NeedsServer>
            <Menu.Item hiddenFrom="54em" onClick={onRun}>
              {t('editor:run')}
            </Menu.Item>
          </NeedsServer>
          <Menu.Item onClick={onReplace} rightSection={<kbd>{REPLACE_KEY}</kbd>}>
            {t('editor:menu.replace')}
          </Menu.Item>
          {base !== undefined && (
            <>
              <Menu.Item
                renderRoot={(props) => <Link {...props} to="/schedules/$name/runs" params={{ name }} search={{}} />}
              >
                {t('editor:schedule.runs')}
              </Menu.Item>
              <Menu.Item renderRoot={(props) => <Link {...props} to="/batches" search={{ schedule: name }} />}>
                {t('editor:schedule.batches')}
              </Menu.Item>
              <Menu.Item renderRoot={(props) => <Link {...props} to="/schedules/$name/ticks" params={{ name }} />}>
                {t('editor:schedule.ticks')}
              </Menu.Item>
              <Menu.Item
                renderRoot={(props) => <Link {...props} to="/schedules/$name/chain" params={{ name }} search={{}} />}
              >
                {t('editor:schedule.chain')}
              </Menu.Item>
              <Menu.Item
                component="a"
                href={`/api/v1/schedules/${encodeURIComponent(name)}/export`}
                download={`${name}.yaml`}
              >
                {t('schedules:menu.export')}
              </Menu.Item>
              <Menu.Item
                onClick={() => {
                  create.open({ copy: name, name: `${name}-copy` });
                }}
              >
                {t('editor:menu.copy')}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item disabled={!changed} onClick={discardDraft}>
                {t('editor:menu.discard')}
              </Menu.Item>
              <NeedsServer>
                <Menu.Item
                  onClick={() => {
                    rename.open(name);
                  }}
                >
                  {t('rename:open')}
                </Menu.Item>
              </NeedsServer>
              <NeedsServer>
                <Menu.Item onClick={() => void archive(name)}>{t('schedules:menu.archive')}</Menu.Item>
              </NeedsServer>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {create.node}
      {archiveDialog}
      {rename.node}
    </>
  );
}

const ARROW = {
  undo: 'M6 3.5L2.8 6.7 6 9.9M3 6.7h6.2a3.6 3.6 0 0 1 0 7.2H6.5',
  redo: 'M10 3.5l3.2 3.2L10 9.9M13 6.7H6.8a3.6 3.6 0 0 0 0 7.2h2.7',
};

/** The buttons for undo and redo; their tooltips name the command. */
function UndoRedo() {
  const { store } = useEditor();
  const past = useDoc((s) => s.past.at(-1)?.label);
  const future = useDoc((s) => s.future[0]?.label);
  return (
    <>
      <StepButton
        way="undo"
        label={past}
        shortcut="Z"
        onGo={() => {
          store.getState().undo();
        }}
      />
      <StepButton
        way="redo"
        label={future}
        shortcut="Shift+Z"
        onGo={() => {
          store.getState().redo();
        }}
      />
    </>
  );
}

function StepButton({
  way,
  label,
  shortcut,
  onGo,
}: {
  way: 'undo' | 'redo';
  label?: Label;
  shortcut: string;
  onGo: () => void;
}) {
  const { t } = useTranslation('editor');
  const { t: tDocument } = useTranslation('document');
  const text = label ? t(`${way}.what`, { what: labelText(tDocument, label) }) : t(`${way}.none`);
  return (
    <Tooltip
      label={
        <span className={styles.command}>
          {text}
          <kbd>{keyName(shortcut)}</kbd>
        </span>
      }
    >
      {/* It is never disabled: the focus must stay on it after the last step. */}
      <ActionIcon
        variant="default"
        size={32}
        className={styles.icon}
        aria-label={text}
        aria-disabled={!label || undefined}
        data-disabled={!label || undefined}
        onClick={() => {
          if (label) onGo();
        }}
      >
        <svg viewBox="0 0 16 16" width={16} height={16} aria-hidden="true">
          <path d={ARROW[way]} />
        </svg>
      </ActionIcon>
    </Tooltip>
  );
}
