import { useTranslation } from 'react-i18next';
import { removeTasks, type Task, taskOf } from '@/document';
import { useDoc, useEditor } from '../../context';
import fieldStyles from '../fields/Field.module.css';
import { DurationField } from '../fields/Typed';
import { Head } from '../Panel';
import styles from '../Inspector.module.css';
import { useTaskEdit } from '../useEdit';
import { hasDefault, InheritsFrom, jobOfAll } from './inherited';
import { PoolField } from './Pool';
import { ExecutorField, Flag, GroupField, HandlerField, PriorityField, RuleField, WhenField } from './fields';
import { TaskRetry } from './Retry';

/** The tasks whose common fields are shown. */
export interface ManyPanelProps {
  /** The keys of the tasks. */
  keys: readonly string[];
  onClose: () => void;
}

/**
 * The common fields of several tasks. A field whose values differ shows that; a new value is set for all tasks in one
 * step.
 */
export function ManyPanel({ keys, onClose }: ManyPanelProps) {
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
  const retryDiffers = mixed('retry');
  const timeoutHint = mixed('timeout') ? t('mixed') : t('none');
  const { job, defaults } = jobOfAll(doc, keys);
  const handler = handlers.find((one) => one.name === common('handler'));
  const names = keys.slice(0, 4).join(', ') + (keys.length > 4 ? ' …' : '');
  return (
    <InheritsFrom value={job}>
      <Head title={t('many.title', { count: tasks.length })} onClose={onClose}>
        {names}
      </Head>
      <div className={styles.body} key={keys.join(' ')}>
        <HandlerField value={common('handler') ?? ''} set={set} mixed={mixed('handler')} />
        <RuleField value={common('rule')} set={set} mixed={mixed('rule')} />
        <WhenField task={first.key} value={common('when')} set={set} mixed={mixed('when')} />
        {retryDiffers && <p className="hg-quiet">{t('many.retries')}</p>}
        <TaskRetry
          task={first.key}
          value={common('retry')}
          inherited={retryDiffers ? undefined : defaults.retry}
          writeNone={hasDefault(doc, keys, 'retry')}
          set={set}
        />
        <div className={fieldStyles.two}>
          <DurationField
            label={t('timeout')}
            name="timeout"
            value={common('timeout')}
            placeholder={timeoutHint}
            onChange={(timeout) => {
              set('timeout', { timeout });
            }}
          />
          <PriorityField value={common('priority')} inherited={defaults.priority} set={set} mixed={mixed('priority')} />
        </div>
        <GroupField
          value={common('group')}
          inherited={defaults.group}
          writeStandard={hasDefault(doc, keys, 'group')}
          handler={handler}
          set={set}
          mixed={mixed('group')}
        />
        <ExecutorField value={common('executor')} set={set} mixed={mixed('executor')} />
        <PoolField value={common('pool')} set={set} mixed={mixed('pool')} />
        <Flag name="allowFailure" value={common('allowFailure')} set={set} mixed={mixed('allowFailure')} />
        <Flag name="disabled" value={common('disabled')} set={set} mixed={mixed('disabled')} />
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
    </InheritsFrom>
  );
}
