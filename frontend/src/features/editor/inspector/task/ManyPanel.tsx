import { useTranslation } from 'react-i18next';
import { removeTasks, type Task, taskOf } from '@/document';
import { useDoc, useEditor } from '../../context';
import { Check } from '../fields/Text';
import fieldStyles from '../fields/Field.module.css';
import { DurationField, NumberField } from '../fields/Typed';
import { Head } from '../Panel';
import styles from '../Inspector.module.css';
import { useTaskEdit } from '../useEdit';
import { ExecutorField, GroupField, HandlerField, Retry, RuleField, WhenField } from './fields';

/**
 * The common fields of several tasks. A field whose values differ shows that; a new value is set for all tasks in one
 * step.
 */
export function ManyPanel({ keys, onClose }: { keys: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('inspector');
  const { store, handlers } = useEditor();
  const doc = useDoc((s) => s.doc);
  const { set } = useTaskEdit(keys);
  const tasks = keys.flatMap((key) => taskOf(doc, key) ?? []);
  const [first] = tasks;
  if (!first) return null;
  const same = (name: keyof Task) => tasks.every((task) => JSON.stringify(task[name]) === JSON.stringify(first[name]));
  const common = <K extends keyof Task>(name: K): Task[K] | undefined => (same(name) ? first[name] : undefined);
  const mixed = (name: keyof Task) => !same(name);
  const placeholders = {
    retry: mixed('retry'),
    timeout: mixed('timeout') ? t('mixed') : t('none'),
    priority: mixed('priority') ? t('mixed') : '5',
  };
  const handler = handlers.find((one) => one.name === common('handler'));
  const names = keys.slice(0, 4).join(', ') + (keys.length > 4 ? ' …' : '');
  return (
    <>
      <Head title={t('many.title', { count: tasks.length })} onClose={onClose}>
        {names}
      </Head>
      <div className={styles.body} key={keys.join(' ')}>
        <HandlerField value={common('handler') ?? ''} set={set} mixed={mixed('handler')} />
        <RuleField value={common('rule')} set={set} mixed={mixed('rule')} />
        <WhenField task={first.key} value={common('when')} set={set} mixed={mixed('when')} />
        {placeholders.retry && <p className="hg-quiet">{t('many.retries')}</p>}
        <Retry
          value={common('retry')}
          onChange={(retry) => {
            set('retry', { retry });
          }}
        />
        <div className={fieldStyles.two}>
          <DurationField
            label={t('timeout')}
            name="timeout"
            value={common('timeout')}
            placeholder={placeholders.timeout}
            onChange={(timeout) => {
              set('timeout', { timeout });
            }}
          />
          <NumberField
            label={t('priority.label')}
            name="priority"
            integer
            min={1}
            max={10}
            value={common('priority')}
            placeholder={placeholders.priority}
            onChange={(n) => {
              set('priority', { priority: typeof n === 'number' && n !== 5 ? n : undefined });
            }}
          />
        </div>
        <GroupField value={common('group')} handler={handler} set={set} mixed={mixed('group')} />
        <ExecutorField value={common('executor')} set={set} mixed={mixed('executor')} />
        <Check
          label={t('allowFailure.label')}
          name="allowFailure"
          mixed={mixed('allowFailure')}
          checked={common('allowFailure') === true}
          onChange={(on) => {
            set('allowFailure', { allowFailure: on || undefined });
          }}
        />
        <Check
          label={t('disabled.label')}
          name="disabled"
          mixed={mixed('disabled')}
          checked={common('disabled') === true}
          onChange={(on) => {
            set('disabled', { disabled: on || undefined });
          }}
        />
        <div className={styles.buttons}>
          <button
            type="button"
            className={`${fieldStyles.quiet ?? ''} ${styles.danger ?? ''}`}
            onClick={() => {
              store.getState().apply(removeTasks(store.getState().doc, keys));
            }}
          >
            {t('many.remove', { count: tasks.length })}
          </button>
        </div>
      </div>
    </>
  );
}
