import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { defaultForm, groupTriggers, writeCrons } from '@/cron';
import type { Triggers as List } from '../inspector/NextTicks';
import { TriggerCard } from './TriggerCard';

interface Props {
  triggers: List;
  zone?: string;
  onChange: (field: string, triggers: List) => void;
}

/** When a schedule runs by itself. What one form writes is one card, though it may be several crons. */
export function Triggers({ triggers, zone, onChange }: Props) {
  const { t } = useTranslation('inspector');
  return (
    <>
      {triggers.length === 0 && <p>{t('ticks.byHand')}</p>}
      {groupTriggers(triggers).map((card, n) => (
        <TriggerCard
          key={n}
          card={card}
          zone={zone}
          triggers={triggers.slice(card.first, card.first + card.count)}
          onChange={(next) => {
            onChange(`triggers ${String(n)}`, [
              ...triggers.slice(0, card.first),
              ...next,
              ...triggers.slice(card.first + card.count),
            ]);
          }}
        />
      ))}
      <div>
        <Button
          onClick={() => {
            onChange('triggers add', [...triggers, ...writeCrons(defaultForm()).map((cron) => ({ cron }))]);
          }}
        >
          {t('trigger.add')}
        </Button>
      </div>
    </>
  );
}
