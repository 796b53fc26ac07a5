import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNow } from './now';
import { useTook } from './time';
import styles from './TookUsually.module.css';
import { isSlow, type UsualRun } from './usual';

interface Props {
  from: string;
  /** Undefined while it runs. */
  to?: string;
  usual?: UsualRun;
  /** Without the usual duration, which only marks what took longer. */
  short?: boolean;
  /** The class of texts for screen readers only. */
  hidden?: string;
}

/** The duration of a run against the usual one: `00:41 · usually 00:38`. Longer than almost all: with a sign. */
export function TookUsually(props: Props) {
  const from = Date.parse(props.from);
  return props.to === undefined ? (
    <Running {...props} start={from} />
  ) : (
    <Against {...props} ms={Date.parse(props.to) - from} />
  );
}

/** Only a running task renders with each tick of the clock. */
function Running({ start, ...props }: Props & { start: number }) {
  return <Against {...props} ms={useNow() - start} />;
}

function Against({ ms, to, usual, short, hidden }: Props & { ms: number }) {
  const { t } = useTranslation('states');
  const took = useTook();
  const time = took(ms, to === undefined);
  const usually = usual && !short && ` · ${t('usually', { time: took(usual.took) })}`;
  if (!isSlow(ms, usual))
    return (
      <>
        {time}
        {usually}
      </>
    );
  return (
    <>
      <Slow hidden={hidden}>{time}</Slow>
      {usually}
    </>
  );
}

/** A duration that is longer than usual: with a sign, since its colour alone would not be enough. */
export function Slow({ hidden = 'hg-visually-hidden', children }: Pick<Props, 'hidden'> & { children: ReactNode }) {
  const { t } = useTranslation('states');
  return (
    <span className={styles.slow} data-slow="">
      <svg viewBox="0 0 10 9" width={10} height={9} aria-hidden="true" focusable="false">
        <path d="M5 .8 9.4 8.4H.6z" />
      </svg>
      <span className={hidden}>{t('slow')} </span>
      {children}
    </span>
  );
}
