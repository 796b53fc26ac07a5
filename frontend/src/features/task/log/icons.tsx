const PATHS = {
  up: 'M8 12.5v-9M4 7.5l4-4 4 4',
  down: 'M8 3.5v9M4 8.5l4 4 4-4',
  top: 'M3.5 3h9M8 13V6M4.5 9.2L8 5.7l3.5 3.5',
  bottom: 'M3.5 13h9M8 3v7M4.5 6.8L8 10.3l3.5-3.5',
  wrap: 'M2.5 4h11M2.5 8h8.2a2.2 2.2 0 0 1 0 4.4H8M9.8 10.4L7.8 12.4l2 2M2.5 12h3',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5v3.2l2.2 1.4',
  download: 'M8 2.5v8M4.8 7.5L8 10.7l3.2-3.2M2.8 13.5h10.4',
  error: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5.2v3.4M8 10.9v.1',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  link: 'M6.8 9.2l2.4-2.4M7.3 4.9l1-1a2.6 2.6 0 0 1 3.7 3.7l-1 1M8.7 11.1l-1 1A2.6 2.6 0 0 1 4 8.4l1-1',
};

/** An icon. It is hidden from screen readers, so its button needs a label. */
export function Icon({ name, size = 16 }: { name: keyof typeof PATHS; size?: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
