import styles from './HandlerBadge.module.css';

/** The badges of usual handlers, where the beginning of the name would say less. */
const BADGES: Readonly<Record<string, string>> = { shell: 'sh', http: 'web', python: 'py', javascript: 'js' };

/** The badge of a handler: three letters at most, usually the beginning of its name. */
export function HandlerBadge({ handler }: { handler: string }) {
  const text = BADGES[handler] ?? [...handler].slice(0, 3).join('');
  // Three letters as wide as they are high do not fit and are clipped; others need no clip, which costs time.
  return (
    <span className={styles.badge} data-cut={/[^ -~]/.test(text) || undefined} aria-hidden="true">
      {text}
    </span>
  );
}
