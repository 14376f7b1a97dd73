import { durationText } from '@replsim/kernel';
import type { Figures } from './figures.ts';

/** A line of a table. */
export interface FigureRow {
  readonly name: string;
  readonly one: string;
  readonly other: string;
}

/** Both runs' figures beside each other. */
export function figureRows(one: Figures, other: Figures): readonly FigureRow[] {
  const row = (name: string, said: (figures: Figures) => string) => ({ name, one: said(one), other: said(other) });
  return [
    row('elections won', ({ elections }) => String(elections)),
    row('without a primary', ({ withoutPrimaryMicros }) => inWords(withoutPrimaryMicros)),
    row('the longest such time', ({ longestWithoutPrimaryMicros }) => inWords(longestWithoutPrimaryMicros)),
    row('writes acknowledged', ({ acknowledged }) => String(acknowledged)),
    row('of these, lost', ({ lost }) => String(lost)),
    row('deleted by TTL', ({ ttlDeletions }) => String(ttlDeletions)),
    row('events', ({ events }) => String(events)),
  ];
}

const inWords = (micros: number) => durationText(micros);
