import styles from './Find.module.css';

/** Keys that are pressed together or one after another, as in `Ctrl K` or `G S`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {keys.split(' ').map((key, i) => (
        <kbd key={i}>{key}</kbd>
      ))}
    </span>
  );
}
