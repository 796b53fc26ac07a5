import { Button, Switch } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, keyName, setSingleKeys, singleKeysOn } from '@/ui';
import { hasRows } from './jump';
import { Keys } from './Keys';
import type { Registry } from './registry';
import styles from './Find.module.css';

const CANVAS = [
  ['move', '← ↑ ↓ →'],
  ['follow', 'Alt ↑ ↓'],
  ['open', 'Enter'],
  ['add', 'A'],
  ['job', 'N'],
  ['lastJob', 'Shift N'],
  ['connect', 'C'],
  ['rename', 'F2'],
  ['menu', 'M'],
  ['lane', 'Alt Shift ↑ ↓'],
  ['select', 'Space'],
  ['all', 'Ctrl A'],
  ['duplicate', 'Ctrl D'],
  ['copy', 'Ctrl C'],
  ['cut', 'Ctrl X'],
  ['paste', 'Ctrl V'],
  ['remove', 'Delete'],
  ['undo', 'Ctrl Z'],
  ['redo', 'Ctrl Shift Z'],
  ['find', '/'],
  ['fit', 'F'],
  ['pan', 'Space ✥'],
] as const;

const GRAPH = [
  ['move', '← ↑ ↓ →'],
  ['follow', 'Alt ↑ ↓'],
  ['open', 'Enter'],
  ['deselect', 'Esc'],
  ['find', '/'],
] as const;

const GRID = [
  ['move', '← ↑ ↓ →'],
  ['open', 'Enter'],
  ['mark', 'Space'],
  ['area', 'Shift ← ↑ ↓ →'],
  ['unmark', 'Esc'],
] as const;

const TIMELINE = [
  ['move', '↑ ↓'],
  ['fold', '← →'],
  ['open', 'Enter'],
  ['find', '/'],
] as const;

const PICTURE = [
  ['move', '← ↑ ↓ →'],
  ['open', 'Enter'],
  ['closer', '+'],
  ['farther', '-'],
  ['back', '0'],
] as const;

/** The signs of the drawing that no text explains. */
const SIGNS = [
  ['gate', '═'],
  ['tie', '┊'],
  ['redundant', '┄'],
] as const;

/** A line of the list: what a key does, and the key. */
type Line = readonly [text: string, keys: string];

/** The dialog that lists the keys of the present page, and turns those without Ctrl off. */
export function KeyList({ registry, opened, onClose }: { registry: Registry; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('find');
  const { t: common } = useTranslation('common');
  const parts = useSyncExternalStore(registry.subscribe, registry.list);
  const [withRows] = useState(hasRows);
  const [single, setSingle] = useState(singleKeysOn);
  const commands = parts.flatMap((part) => part.commands ?? []);
  const linesOf = (wanted: (group?: string) => boolean): Line[] =>
    commands.flatMap(({ group, label, keys }) => (keys && wanted(group) ? [[label, keys] as const] : []));
  const sets = parts.map((part) => part.keySet);
  const [onCanvas, onGraph] = [sets.includes('canvas'), sets.includes('graph')];
  const rest: [title: string, lines: Line[]][] = [
    [t('keys.grid'), sets.includes('grid') ? GRID.map(([name, keys]) => [t(`grid.${name}`), keys]) : []],
    [
      t('keys.timeline'),
      sets.includes('timeline') ? TIMELINE.map(([name, keys]) => [t(`timeline.${name}`), keys]) : [],
    ],
    [t('keys.picture'), sets.includes('picture') ? PICTURE.map(([name, keys]) => [t(`picture.${name}`), keys]) : []],
    [t('keys.search'), sets.includes('search') ? [[t('search.find'), '/']] : []],
  ];
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('keys.title')}
      footer={<Button onClick={onClose}>{common('close')}</Button>}
      reading
    >
      <Lines title={t('keys.page')} lines={linesOf((group) => group === undefined)} />
      {onCanvas && <Lines title={t('keys.canvas')} lines={CANVAS.map(([name, keys]) => [t(`canvas.${name}`), keys])} />}
      {onGraph && <Lines title={t('keys.graph')} lines={GRAPH.map(([name, keys]) => [t(`graph.${name}`), keys])} />}
      {rest.map(([title, lines]) => (
        <Lines key={title} title={title} lines={lines} />
      ))}
      {(onCanvas || onGraph) && (
        <Lines title={t('signs.title')} lines={SIGNS.map(([name, sign]) => [t(`signs.${name}`), sign])} />
      )}
      {withRows && (
        <Lines
          title={t('keys.lists')}
          lines={[
            [t('keys.next'), 'J'],
            [t('keys.previous'), 'K'],
            [t('keys.openRow'), 'Enter'],
          ]}
        />
      )}
      <Lines
        title={t('keys.everywhere')}
        lines={[
          [t('keys.bar'), keyName('K').replace('+', ' ')],
          [t('keys.help'), '?'],
          ...linesOf((group) => group !== undefined),
        ]}
      />
      <Switch
        label={t('keys.single')}
        description={t('keys.singleHint')}
        checked={single}
        onChange={(event) => {
          setSingleKeys(event.currentTarget.checked);
          setSingle(event.currentTarget.checked);
        }}
      />
    </Dialog>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly Line[] }) {
  if (lines.length === 0) return null;
  return (
    <section className={styles.lines}>
      <h3>{title}</h3>
      <dl>
        {lines.map(([text, keys]) => (
          <div key={`${keys} ${text}`}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
