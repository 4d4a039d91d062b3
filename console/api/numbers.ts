/** "1,204": a whole number as English writes it. Not by `Intl`, whose first use takes long. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
