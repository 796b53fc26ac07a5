import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { destroys, type RepairPlan, summarise } from './plan';
import type { Planner } from './usePlan';
import styles from './Repair.module.css';

/** The button that carries out the plan that is shown, and says what that does. One that ends what runs is never honey. */
export function ActionButton({
  planner,
  plan,
  onGo,
}: {
  planner: Planner;
  plan: RepairPlan | undefined;
  onGo: () => void;
}) {
  const { t } = useTranslation('repair');
  const { phase } = planner;
  if (!plan)
    return planner.error ? (
      <Button variant="filled" onClick={planner.again}>
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
      onClick={onGo}
    >
      {phase === 'unsure' ? t('do.again') : <Words plan={plan} />}
    </Button>
  );
}

function Words({ plan }: { plan: RepairPlan }) {
  const { t } = useTranslation('repair');
  const { run, kill } = summarise(plan, 0);
  const count =
    plan.action === 'resume' || plan.action === 'rerun' ? run : plan.rows.filter((row) => row.why === 'asked').length;
  if (plan.action === 'close') return t('do.close');
  if (kill > 0 && plan.action !== 'cancel') return t('do.kill', { count, kill });
  return t(`do.${plan.action}`, { count });
}
