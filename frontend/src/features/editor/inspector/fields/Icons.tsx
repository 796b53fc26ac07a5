const PATHS = {
  close: 'm4 4 8 8m0-8-8 8',
  plus: 'M8 3.5v9M3.5 8h9',
  up: 'm4 9.5 4-4 4 4',
  down: 'm4 6.5 4 4 4-4',
  trash: 'M3.5 4.5h9M6.5 4.5v-1h3v1m-5 0 .6 8h5.8l.6-8',
} as const;

/** A small sign beside words, or in a button that has them as its label. */
export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg
      width={16}
      height={16}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
