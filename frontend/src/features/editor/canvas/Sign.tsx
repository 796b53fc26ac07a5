import styles from './Sign.module.css';

const KNOWN: Readonly<Record<string, string>> = { shell: 'sh', http: 'web', python: 'py', javascript: 'js' };

/** The sign of a handler: the beginning of its name. */
export function Sign({ handler }: { handler: string }) {
  const text = KNOWN[handler] ?? [...handler].slice(0, 3).join('');
  // Three letters of which each is as wide as high have no room; others need no clip.
  return (
    <span className={styles.sign} data-cut={/[^ -~]/.test(text) || undefined} aria-hidden="true">
      {text}
    </span>
  );
}
