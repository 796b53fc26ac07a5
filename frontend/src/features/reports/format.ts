/** A share such as 98.5 %. It is only 100 % if nothing is missing. */
export function percent(share: number, language: string): string {
  const rounded = share < 1 ? Math.min(Math.round(share * 1000) / 1000, 0.999) : 1;
  return rounded.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 });
}

/** A change such as +12 %. */
export function change(share: number, language: string): string {
  return share.toLocaleString(language, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });
}
