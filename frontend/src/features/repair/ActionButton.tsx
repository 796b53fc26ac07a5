import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { destroys, type RepairPlan, summarise } from './plan';
import type { Planner } from './usePlan';
import styles from './Repair.module.css';

interface Props {
  planner: Planner;
  /** Undefined until the dialog shows it. */
  plan: RepairPlan | undefined;
  onApply: () => void;
}

/**
 * Carries out the plan on the screen. Its text says what will happen. It is not highlighted if the plan ends running
 * tasks.
 */
export function ActionButton({ planner, plan, onApply }: Props) {
  const { t } = useTranslation('repair');
  const { phase, error } = planner.state;
  if (!plan)
    return error ? (
      <Button variant="filled" onClick={planner.planAgain}>
        {t('do.again')}
      </Button>
    ) : (
      <Button variant="filled" disabled>
        {t('planning')}
      </Button>
    );
  const danger = destroys(plan);
  return (
    <Button
      variant={danger ? 'default' : 'filled'}
      className={danger ? styles.danger : undefined}
      loading={phase === 'sending' || phase === 'stored'}
      disabled={phase === 'planning'}
      onClick={onApply}
    >
      {phase === 'unsure' ? t('do.again') : <ActionText plan={plan} />}
    </Button>
  );
}

function ActionText({ plan }: { plan: RepairPlan }) {
  const { t } = useTranslation('repair');
  const { run, kill } = summarise(plan, 0);
  const count =
    plan.action === 'resume' || plan.action === 'rerun' ? run : plan.rows.filter((row) => row.why === 'asked').length;
  if (plan.action === 'close') return t('do.close');
  if (kill > 0 && plan.action !== 'cancel') return t('do.kill', { count, kill });
  return t(`do.${plan.action}`, { count });
}
