/** An amount in cents, so that no sum is ever off by a rounding. */
export type Cents = number;

/** An amount as people write it. */
export function format(amount: Cents): string {
  return `${(amount / 100).toFixed(2)} EUR`;
}
