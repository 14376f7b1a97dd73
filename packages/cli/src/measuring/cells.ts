import { durationText } from '@replsim/scenario';
import { countText } from '../forecast/figures.ts';

/** A figure's value for people: three digits of a time, a count as it is. */
export function valueText(value: number, unit: 'ms' | 'count'): string {
  if (unit === 'count') return countText(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 100_000) return durationText(Math.round(value / 1000) * 1_000_000);
  if (size >= 1000) return `${(value / 1000).toFixed(size >= 10_000 ? 1 : 2)}s`;
  return `${Number(value.toPrecision(3))}ms`;
}
