import { type Cents, format } from './money.js';

export interface Line {
  name: string;
  price: Cents;
  count: number;
}

export function receipt(lines: Line[]): string {
  const total = lines.reduce((sum, line) => sum + line.price * line.count, 0);
  return `Total: ${format(total)}`;
}
