import { Menu, Tooltip } from '@mantine/core';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { translateSentence } from '@/api/problem';
import { useHandlerTexts } from '@/i18n/handlers';
import { Ago, Glyph, NeedsServer, Row, RowMenu } from '@/ui';
import { condition, type Executor, type ExecutorAction, loadOf, STATE_OF_CONDITION } from './executors';
import styles from './Executors.module.css';

interface Props {
  executor: Executor;
  admin: boolean;
  onAction: (action: ExecutorAction) => void;
  onOpen: () => void;
}

/** The row of an executor: its condition, its load, its handlers and its labels. */
export function ExecutorRow({ executor, admin, onAction, onOpen }: Props) {
  const { t } = useTranslation('executors');
  const { name, address, version, tls, seenAt, labels = {}, handlers, durable, running } = executor;
  const trouble = executor.trouble && translateSentence(executor.trouble, executor.troubleReason, t);
  const texts = useHandlerTexts();
  const currentCondition = condition(executor);
  // A click anywhere in the row opens the details. The keyboard uses the button with the name.
  const click = ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
    const element = target as Element; // may be an item of the menu, which is outside the row in the DOM
    if (currentTarget.contains(element) && !element.closest('button, a') && getSelection()?.isCollapsed !== false)
      onOpen();
  };
  return (
    <Row className={styles.row} onClick={click}>
      <td className={styles.state}>
        <span className={styles.chip} data-state={STATE_OF_CONDITION[currentCondition]}>
          <Glyph state={STATE_OF_CONDITION[currentCondition]} size={18} />
          {t(`state.${currentCondition}`)}
        </span>
        {currentCondition === 'draining' && <small>{t('drainLeft', { count: running })}</small>}
        {currentCondition === 'drained' && <small>{t('drainDone')}</small>}
        {(currentCondition === 'silent' || currentCondition === 'lost') && seenAt && (
          <small>
            {t('seen')} <Ago at={seenAt} />
          </small>
        )}
      </td>
      <th scope="row" className={styles.name}>
        <button type="button" onClick={onOpen} aria-label={t('detail.open', { name })}>
          <bdi>{name}</bdi>
        </button>
        <small>
          {[address, tls ? t('tls') : '', version, durable ? '' : t('runOnly')].filter(Boolean).join(' · ')}
        </small>
        {trouble && (
          <small className={styles.trouble} title={trouble}>
            {trouble}
          </small>
        )}
      </th>
      <td className={styles.load}>
        <Load executor={executor} />
      </td>
      <td className={styles.handlers}>
        <ul className={styles.tags} aria-label={t('head.handlers')}>
          {handlers.map(texts.handler).map((h) => (
            <li key={h.name}>
              <Tooltip label={h.description ?? h.title ?? h.name} multiline maw={320}>
                <span>{h.name}</span>
              </Tooltip>
            </li>
          ))}
        </ul>
      </td>
      <td className={styles.labels}>
        <ul className={styles.tags} aria-label={t('head.labels')}>
          {Object.entries(labels).map(([key, value]) => (
            <li key={key} className="hg-mono">{`${key}=${value}`}</li>
          ))}
        </ul>
      </td>
      <td className={styles.actions}>
        {admin && <ExecutorMenu executor={executor} onAction={onAction} onOpen={onOpen} />}
      </td>
    </Row>
  );
}

function Load({ executor }: { executor: Executor }) {
  const { t } = useTranslation('executors');
  const text = t('load', { running: executor.running, slots: executor.slots });
  return (
    <div className={styles.meter}>
      <span
        role="meter"
        aria-label={t('head.load')}
        aria-valuemin={0}
        aria-valuemax={Math.max(executor.slots, executor.running)}
        aria-valuenow={executor.running}
        aria-valuetext={text}
      >
        <i style={{ width: `${String(loadOf(executor) * 100)}%` }} />
      </span>
      <small>{text}</small>
    </div>
  );
}

function ExecutorMenu({ executor, onAction, onOpen }: Omit<Props, 'admin'>) {
  const { t } = useTranslation('executors');
  const { name, offline, drained } = executor;
  return (
    <RowMenu label={t('menu.label', { name })} width={250}>
      <Menu.Item onClick={onOpen}>{t('menu.details')}</Menu.Item>
      <NeedsServer>
        <Menu.Item
          onClick={() => {
            onAction(drained ? 'undrain' : 'drain');
          }}
        >
          {t(drained ? 'menu.undrain' : 'menu.drain')}
        </Menu.Item>
      </NeedsServer>
      <NeedsServer>
        <Menu.Item
          onClick={() => {
            onAction(offline ? 'online' : 'offline');
          }}
        >
          {t(offline ? 'menu.online' : 'menu.offline')}
        </Menu.Item>
      </NeedsServer>
      <NeedsServer>
        <Menu.Item
          onClick={() => {
            onAction('forget');
          }}
        >
          {t('menu.forget')}
        </Menu.Item>
      </NeedsServer>
    </RowMenu>
  );
}
