/** HiveGo's mark: a cell of the hive with an H. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 22 24" width={(size * 22) / 24} height={size} aria-hidden="true" focusable="false">
      <path d="M11 1l9.5 5.5v11L11 23 1.5 17.5v-11z" fill="var(--honey)" />
      <path d="M7 8v8M15 8v8M7 12h8" stroke="var(--on-honey)" strokeWidth="2" strokeLinecap="round" fill="none" />
    </svg>
  );
}
