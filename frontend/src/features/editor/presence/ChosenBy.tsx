import { cardInitials } from './people';
import styles from './ChosenBy.module.css';

/** The initials of those who have chosen something. Screen readers get the names from the text of its owner. */
export function ChosenBy({ names, title }: { names: readonly string[]; title?: string }) {
  return (
    <span className={styles.chosen} title={title} aria-hidden="true" data-chosen-by="">
      {cardInitials(names).map((text, n) => (
        <i key={n}>{text}</i>
      ))}
    </span>
  );
}
