import styles from './Sign.module.css';

const KNOWN: Readonly<Record<string, string>> = { shell: 'sh', http: 'web', python: 'py', javascript: 'js' };

/** The sign of a handler: the beginning of its name. */
export function Sign({ handler }: { handler: string }) {
  return <span className={styles.sign} aria-hidden="true">{KNOWN[handler] ?? [...handler].slice(0, 3).join('')}</span>;
}
