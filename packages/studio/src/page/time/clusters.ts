import type { Mark } from '../../core/history/marks.ts';
import { countUpTo } from '../../core/history/search.ts';
import type { Range } from './range.ts';

/** Marks that would cover each other, at the place of the first of them. */
export interface Cluster {
  readonly x: number;
  /** What it is drawn as: the first of the weightiest. */
  readonly mark: Mark;
  readonly marks: readonly Mark[];
}

/** What must not be missed is above 0, and what comes again and again below. All else tells a story: the first of it shows. */
const WEIGHT: Partial<Record<Mark['kind'], number>> = { failed: 2, rollback: 1, ttl: -1, due: -2, step: -2, pass: -3 };

/** Marks of one lane as they are drawn: none nearer to the next than so many pixels, beside its count. */
export function clustersOf(marks: readonly Mark[], range: Range, width: number, apart: number): readonly Cluster[] {
  const { fromMicros, toMicros } = range;
  const clusters: { x: number; mark: Mark; marks: Mark[] }[] = [];
  for (let i = countUpTo(marks, ({ atMicros }) => atMicros, fromMicros - 1); i < marks.length; i++) {
    const mark = marks[i]!;
    if (mark.atMicros > toMicros) break;
    const x = ((mark.atMicros - fromMicros) / (toMicros - fromMicros || 1)) * width;
    const last = clusters.at(-1);
    if (!last || x - last.x >= apart + countWidth(last.marks.length)) clusters.push({ x, mark, marks: [mark] });
    else {
      last.marks.push(mark);
      if (weightOf(mark) > weightOf(last.mark)) last.mark = mark;
    }
  }
  return clusters;
}

/** What stands beside a mark that is several. Unit: px. */
function countWidth(marks: number): number {
  return marks === 1 ? 0 : 6 * String(marks - 1).length;
}

function weightOf({ kind }: Mark): number {
  return WEIGHT[kind] ?? 0;
}
