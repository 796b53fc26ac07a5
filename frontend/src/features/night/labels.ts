/** The width of the box with the time of now, in pixels. */
export const TIME_OF_NOW = 42;
/** The least space between two labels. */
const SPACE = 8;

/** A label of the axis before it has a place. */
interface Label {
  /** The place of its moment. */
  x: number;
  width: number;
  /** It names a day, which no other label tells. */
  day: boolean;
}

/**
 * Returns where the middle of each label is, in pixels; undefined for a label without room. A label of an hour
 * stands at its moment or nowhere. A label of a day moves away from the time of now and from the edges. All labels keep
 * a distance to each other; days come first.
 */
export function placeLabels(labels: readonly Label[], nowX: number, width: number): (number | undefined)[] {
  const shownNow = nowX >= 0 && nowX <= width;
  const now = Math.max(TIME_OF_NOW / 2, Math.min(nowX, width - TIME_OF_NOW / 2));
  const taken = shownNow ? [{ x: now, width: TIME_OF_NOW }] : [];
  const isFree = (x: number, own: number) =>
    x - own / 2 >= 0 &&
    x + own / 2 <= width &&
    taken.every((other) => Math.abs(other.x - x) >= (other.width + own) / 2 + SPACE);
  const places = new Array<number | undefined>(labels.length);
  for (const days of [true, false])
    labels.forEach(({ x, width: own, day }, i) => {
      if (day !== days) return;
      const inside = Math.max(own / 2, Math.min(x, width - own / 2));
      const beside = (TIME_OF_NOW + own) / 2 + SPACE;
      const choices = !day
        ? [x]
        : x < nowX
          ? [inside, now - beside, now + beside]
          : [inside, now + beside, now - beside];
      const at = choices.find((choice) => isFree(choice, own));
      if (at === undefined) return;
      places[i] = at;
      taken.push({ x: at, width: own });
    });
  return places;
}
