import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { momentAtWallTime, wallTimeAt } from '@/ui';
import type { Day } from './month';
import styles from './Forecast.module.css';

interface Props {
  /** As `FROM..TO`; undefined without a question. */
  down: string | undefined;
  zone: string;
  days: readonly Day[];
  onChange: (down: string | undefined) => void;
}

/** Asks what happens if no server runs for a time. */
export function WhatIf({ down, zone, days, onChange }: Props) {
  const { t } = useTranslation('forecast');
  const [from = '', to = ''] = (down ?? '').split('..').map((at) => local(at, zone));
  const [begin, setBegin] = useState(from);
  const [end, setEnd] = useState(to);
  const [first, last] = [momentAtWallTime(begin, zone), momentAtWallTime(end, zone)];
  const wrong = first !== undefined && last !== undefined && first >= last;
  const affected = days.reduce((sum, d) => sum + d.down, 0);
  return (
    <section className={styles.whatIf} aria-label={t('whatIf.title')}>
      <h2>{t('whatIf.title')}</h2>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (first && last && !wrong) onChange(`${first.toISOString()}..${last.toISOString()}`);
        }}
      >
        <TextInput
          type="datetime-local"
          label={t('whatIf.from')}
          value={begin}
          onChange={(e) => {
            setBegin(e.currentTarget.value);
          }}
        />
        <TextInput
          type="datetime-local"
          label={t('whatIf.to')}
          value={end}
          error={wrong && t('whatIf.wrong')}
          onChange={(e) => {
            setEnd(e.currentTarget.value);
          }}
        />
        <div className={styles.buttons}>
          <Button type="submit" disabled={!first || !last || wrong}>
            {t('whatIf.do')}
          </Button>
          {down !== undefined && (
            <Button
              variant="subtle"
              onClick={() => {
                onChange(undefined);
              }}
            >
              {t('whatIf.clear')}
            </Button>
          )}
        </div>
      </form>
      <p role="status">{down !== undefined && t('whatIf.affected', { count: affected })}</p>
    </section>
  );
}

function local(at: string, zone: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? '' : wallTimeAt(ms, zone).slice(0, 16);
}
