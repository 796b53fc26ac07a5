import { Modal } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Glyph } from '@/ui';
import { type Item, type Section, sectionsOf } from './items';
import type { EarlyKeys } from './earlyKeys';
import { Keys } from './Keys';
import type { Registry } from './registry';
import { useItems } from './useItems';
import styles from './Find.module.css';

interface Props {
  registry: Registry;
  /** What was typed while the bar was loaded. */
  early: EarlyKeys;
  /** Closes the bar, and then does something. */
  onClose: (then?: () => void) => void;
}

/** The command bar: one field that finds schedules, batches, tasks, pages, and the actions of the present page. */
export function CommandBar({ registry, early, onClose }: Props) {
  const { t } = useTranslation('find');
  const [query, setQuery] = useState('');
  useEffect(() => early.follow(setQuery), [early]);
  const [active, setActive] = useState<string>();
  const { items, found } = useItems(query, registry);
  const sections = useMemo(() => sectionsOf(query, items), [query, items]);
  const shown = sections.flatMap((section) => section.items);
  const current = shown.find((item) => item.id === active) ?? shown[0];
  const choose = (item: Item | undefined) => {
    if (item) onClose(item.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return; // Enter ends the input of pinyin
    const at = current ? shown.indexOf(current) : -1;
    const step = STEPS[event.key];
    if (event.key === 'Enter') choose(current);
    else if (step) setActive(shown.at((at + step) % shown.length)?.id);
    else if (event.key === 'PageDown' || event.key === 'PageUp')
      setActive(shown[Math.max(0, Math.min(shown.length - 1, at + (event.key === 'PageDown' ? 8 : -8)))]?.id);
    else return;
    event.preventDefault();
  };
  const listId = useId();
  return (
    <Modal.Root
      opened
      onClose={onClose}
      returnFocus={false}
      size={620}
      yOffset="11vh"
      transitionProps={{ duration: 0 }}
      classNames={{ inner: styles.inner, content: styles.content }}
    >
      <Modal.Overlay backgroundOpacity={0.3} />
      <Modal.Content aria-label={t('title')}>
        <input
          className={styles.field}
          type="text"
          role="combobox"
          aria-label={t('title')}
          aria-expanded={shown.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={current && optionId(listId, current)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
          placeholder={t('placeholder')}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setActive(undefined);
          }}
          onFocus={() => {
            early.end();
          }}
          onKeyDown={onKeyDown}
        />
        <List id={listId} sections={sections} current={current} onActive={setActive} onChoose={choose} />
        {shown.length === 0 && !found.searching && <p className={styles.none}>{t('none', { query: query.trim() })}</p>}
        {found.failed && <p className={styles.none}>{t('failed')}</p>}
        <p className="hg-visually-hidden" role="status">
          {found.searching ? t('searching') : t('results', { count: shown.length })}
        </p>
        <p className={styles.foot} aria-hidden="true">
          <Keys keys="↑ ↓" /> {t('hint.move')} <Keys keys="Enter" /> {t('hint.choose')} <Keys keys="Esc" />{' '}
          {t('hint.close')}
        </p>
      </Modal.Content>
    </Modal.Root>
  );
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

const optionId = (list: string, item: Item) => `${list}-${item.id.replace(/\s/g, '-')}`;

interface ListProps {
  id: string;
  sections: readonly Section[];
  current: Item | undefined;
  onActive: (id: string) => void;
  onChoose: (item: Item) => void;
}

function List({ id, sections, current, onActive, onChoose }: ListProps) {
  const { t } = useTranslation('find');
  const list = useRef<HTMLDivElement>(null);
  const currentId = current?.id;
  useEffect(() => {
    const option = list.current?.querySelector('[aria-selected="true"]');
    // The heading of the first group is shown, too.
    if (option && option === list.current?.querySelector('[role="option"]')) list.current.scrollTop = 0;
    else option?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  return (
    // The field keeps the focus and handles the keys.
    <div ref={list} id={id} role="listbox" aria-label={t('title')} tabIndex={-1} className={styles.list}>
      {sections.map(({ group, items }) => (
        <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
          <div id={`${id}-${group}`} className={styles.group}>
            {t(`group.${group}`)}
          </div>
          {items.map((item) => (
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the keys
            <div
              key={item.id}
              id={optionId(id, item)}
              role="option"
              tabIndex={-1}
              aria-selected={item === current}
              className={styles.option}
              onPointerMove={() => {
                if (item !== current) onActive(item.id);
              }}
              onMouseDown={(event) => {
                event.preventDefault(); // the field keeps the focus
              }}
              onClick={() => {
                onChoose(item);
              }}
            >
              {item.state && <Glyph state={item.state} size={15} bare />}
              <span className={styles.label}>{item.label}</span>
              {item.detail && <small>{item.detail}</small>}
              {item.keys && <Keys keys={item.keys} />}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
