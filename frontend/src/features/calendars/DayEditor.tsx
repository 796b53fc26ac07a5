import { Button, Radio, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CalendarDoc, dateOf, dayOf, kindByRule, type Marked, markedDays, type Range } from './days';
import { useDayTexts } from './texts';
import styles from './Year.module.css';

/** The longest name of an entry, in characters. */
const NAME_LENGTH = 200;

const CHOICES = ['holiday', 'makeUp', 'rule'] as const;

interface Props {
  doc: CalendarDoc;
  range: Range;
  /** Marks the days; without `marked` the weekday decides again. */
  onApply: (range: Range, marked: Marked | undefined) => void;
  onClose: () => void;
}

/** What the selected days are: a holiday or a make-up workday with a name, or what their weekday says. */
export function DayEditor({ doc, range, onApply, onClose }: Props) {
  const { t } = useTranslation(['calendars', 'common']);
  const texts = useDayTexts();
  const [first] = useState(() => markedDays(doc).get(range.from));
  const [kind, setKind] = useState<Marked['kind'] | 'rule'>(first?.kind ?? proposed(doc, range));
  const [name, setName] = useState(first?.name ?? '');
  const [until, setUntil] = useState(dateOf(range.to));
  const last = dayOf(until);
  const wrong = !(last >= range.from) || last - range.from > 3660;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // the popover is in a portal, but its events bubble to the page
    if (!wrong) onApply({ from: range.from, to: last }, kind === 'rule' ? undefined : { kind, name: name.trim() });
  };
  return (
    <form className={styles.editor} onSubmit={submit}>
      <p className={styles.first}>{texts.day(range.from)}</p>
      <TextInput
        type="date"
        size="xs"
        label={t('calendars:edit.until')}
        value={until}
        min={dateOf(range.from)}
        error={wrong ? t('calendars:edit.untilWrong') : undefined}
        onChange={(event) => {
          setUntil(event.currentTarget.value);
        }}
      />
      <Radio.Group
        aria-label={t('calendars:edit.kind')}
        value={kind}
        onChange={(next) => {
          setKind(next as typeof kind);
        }}
      >
        <div className={styles.choices}>
          {CHOICES.map((value) => (
            <Radio
              key={value}
              value={value}
              size="xs"
              data-autofocus={value === kind || undefined}
              label={
                value === 'rule'
                  ? ruleText(t('calendars:edit.rule'), wrong ? range : { from: range.from, to: last })
                  : t(`calendars:kind.${value}`)
              }
            />
          ))}
        </div>
      </Radio.Group>
      {kind !== 'rule' && (
        <TextInput
          size="xs"
          label={t('calendars:edit.name')}
          placeholder={t(`calendars:edit.example.${kind}`)}
          maxLength={NAME_LENGTH}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      )}
      <footer>
        <Button size="compact-sm" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button size="compact-sm" type="submit" variant="filled">
          {t('calendars:edit.go')}
        </Button>
      </footer>
    </form>
  );

  /** The text of the choice without an entry, with what the weekdays make of the days. */
  function ruleText(text: string, { from, to }: Range): string {
    const kinds = new Set(Array.from({ length: Math.min(to - from + 1, 7) }, (_, i) => kindByRule(doc, from + i)));
    return `${text}${t('calendars:colon')}${[...kinds].map((one) => t(`calendars:kind.${one}`)).join(', ')}`;
  }
}

/** What days without an entry probably become: days of the weekend a make-up workday, all others a holiday. */
function proposed(doc: CalendarDoc, { from, to }: Range): Marked['kind'] {
  for (let day = from; day <= to; day++) if (kindByRule(doc, day) === 'workday') return 'holiday';
  return 'makeUp';
}
