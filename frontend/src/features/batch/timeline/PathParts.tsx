import type { Step } from './critical';
import type { Scale } from './scale';
import styles from './Timeline.module.css';

/** The critical path within a line: over what ran, and over what waited. */
export function PathParts({ step, scale }: { step: Step; scale: Scale }) {
  return step.parts.map((part) => {
    const x = scale.x(part.from);
    return (
      <i
        key={part.from}
        className={styles.on}
        data-kind={part.kind}
        style={{ left: x, width: Math.max(1, scale.x(part.to) - x) }}
      />
    );
  });
}
