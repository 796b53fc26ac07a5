import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useViewClock } from './shownZone';
import { exact } from './time';
import { chooseZone, ownZone, type ZoneChoice, zoneOf } from './zones';
import styles from './ZoneMenu.module.css';

interface Props {
  /** A moment that the menu shows in each zone. */
  at?: string;
  /** Beside the time of a title there is only room for the name of the zone. */
  short?: boolean;
}

/** The zone of all times of the view, and the choice of another one. All pages follow it. */
export function ZoneMenu({ at, short }: Props) {
  const { t } = useTranslation();
  const { choice: value, scheduleZone, zone: shown } = useViewClock();
  const choices: ZoneChoice[] = scheduleZone === undefined ? ['mine', 'utc'] : ['schedule', 'mine', 'utc'];
  const zone = shown ?? ownZone();
  return (
    <Menu position="bottom-start" shadow="lg" loop>
      <Menu.Target>
        <button type="button" className={styles.zone}>
          <span>
            <span className={short ? 'hg-visually-hidden' : undefined}>{t('zone.all')} </span>
            {zone}
          </span>
          <svg viewBox="0 0 10 10" width={9} height={9} aria-hidden="true">
            <path d="M1.5 3.5 5 7l3.5-3.5" fill="none" stroke="currentColor" strokeWidth="1.4" />
          </svg>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((choice) => {
          const name = zoneOf(choice, scheduleZone);
          return (
            <Menu.Item
              key={choice}
              aria-current={choice === value ? 'true' : undefined}
              data-on={choice === value || undefined}
              className={styles.choice}
              onClick={() => {
                chooseZone(choice);
              }}
            >
              {choice === 'utc' ? 'UTC' : `${t(`zone.${choice}`)} · ${name ?? ''}`}
              {at !== undefined && <small>{exact(at, { zone: name })}</small>}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
