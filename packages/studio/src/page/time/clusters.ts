import type { Mark } from '../../history/marks.ts';
import { countUpTo } from '../../history/search.ts';
import type { Range } from './range.ts';

/** Marks that would cover each other, at the place of the first of them. */
export interface Cluster {
  readonly x: number;
  /** What it is drawn as: the weightiest of them. */
  readonly mark: Mark;
  readonly marks: readonly Mark[];
}

/** The weightiest first. */
const WEIGHT: readonly Mark['kind'][] = [
  'failed',
  'rollback',
  'primary',
  'fault',
  'process',
  'stepDown',
  'election',
  'ttl',
  'step',
  'pass',
];

/** Marks of one lane as they are drawn: none nearer to the next than so many pixels. */
export function clustersOf(marks: readonly Mark[], range: Range, width: number, apart: number): readonly Cluster[] {
  const { fromMicros, toMicros } = range;
  const clusters: { x: number; mark: Mark; marks: Mark[] }[] = [];
  for (let i = countUpTo(marks, ({ atMicros }) => atMicros, fromMicros - 1); i < marks.length; i++) {
    const mark = marks[i]!;
    if (mark.atMicros > toMicros) break;
    const x = ((mark.atMicros - fromMicros) / (toMicros - fromMicros || 1)) * width;
    const last = clusters.at(-1);
    if (!last || x - last.x >= apart) clusters.push({ x, mark, marks: [mark] });
    else {
      last.marks.push(mark);
      if (WEIGHT.indexOf(mark.kind) < WEIGHT.indexOf(last.mark.kind)) last.mark = mark;
    }
  }
  return clusters;
}
