import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SchedulePicker } from './SchedulePicker';
import styles from './Forecast.module.css';

/** The most minutes by which a schedule can be moved, in both directions. */
const MOST = 24 * 60;

/** What a question in the address means: the schedule and how many minutes later it runs. */
function readShift(shift: string | undefined): { name: string; minutes: number } | undefined {
  const [, name, minutes] = /^([^=\s]+)=(-?\d+)m$/.exec(shift ?? '') ?? [];
  return name === undefined ? undefined : { name, minutes: Number(minutes) };
}

interface Props {
  /** As `NAME=60m`; undefined without a question. */
  shift: string | undefined;
  /** The schedule of the page. */
  schedule: string | undefined;
  onChange: (shift: string | undefined) => void;
}

/** Asks what happens if a schedule runs later or earlier. */
export function Shift({ shift, schedule, onChange }: Props) {
  const { t } = useTranslation('forecast');
  const asked = readShift(shift);
  const [name, setName] = useState(asked?.name ?? schedule);
  const [minutes, setMinutes] = useState(String(asked?.minutes ?? 60));
  const by = /^-?\d{1,4}$/.test(minutes) ? Number(minutes) : NaN;
  const wrong = Number.isNaN(by) || by === 0 || Math.abs(by) > MOST;
  return (
    <section className={styles.whatIf} aria-label={t('shift.title')}>
      <h2>{t('shift.title')}</h2>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (name !== undefined && !wrong) onChange(`${name}=${String(by)}m`);
        }}
      >
        <SchedulePicker label={t('shift.schedule')} placeholder={t('shift.choose')} value={name} onChange={setName} />
        <TextInput
          label={t('shift.minutes')}
          inputMode="numeric"
          value={minutes}
          error={wrong && t('shift.wrong', { most: MOST })}
          onChange={(e) => {
            setMinutes(e.currentTarget.value);
          }}
        />
        <div className={styles.buttons}>
          <Button type="submit" disabled={name === undefined || wrong}>
            {t('whatIf.do')}
          </Button>
          {shift !== undefined && (
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
      <p role="status">{asked && t('shift.asked', { name: asked.name, count: asked.minutes })}</p>
    </section>
  );
}
