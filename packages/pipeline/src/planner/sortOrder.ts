import { ElementCursor } from '@replsim/protocol';
import type { IndexView } from '@replsim/storage';
import { numberOf } from '../fields/values.ts';
import { type Interval, intervalsOf, isOnePoint, meetsStrings } from './interval.ts';

/** One field of a sort. */
export interface SortField {
  readonly path: string;
  readonly descending: boolean;
}

/** Empty if there is no sort; what is no direction (`$meta`) is for the sort itself to judge. */
export function sortFields(sort: Uint8Array | undefined): SortField[] {
  const fields: SortField[] = [];
  if (!sort) return fields;
  const cursor = new ElementCursor(sort);
  while (cursor.next()) fields.push({ path: cursor.name, descending: numberOf(cursor) < 0 });
  return fields;
}

/**
 * Whether walking the index within these bounds gives the order: false forwards, true backwards, undefined not at all.
 * A part that the bounds hold to one value may stand anywhere in between. A document of a multikey index has several places,
 * and which one counts is for the sort to say.
 * @param sameStrings the collation of the index is the query's: another one still orders what is no string
 */
export function directionFor(
  { spec, multikey }: IndexView,
  bounds: readonly (readonly Interval[])[],
  order: readonly SortField[],
  sameStrings: boolean,
): boolean | undefined {
  if (multikey) return undefined;
  let reverse: boolean | undefined;
  let next = 0;
  for (const [i, { path, descending }] of spec.parts.entries()) {
    const field = order[next];
    if (!field) break;
    const intervals = intervalsOf(bounds, i);
    const isConstant = isOnePoint(intervals);
    if (field.path === path) {
      if (!sameStrings && meetsStrings(intervals)) return undefined;
      next += 1;
      if (isConstant) continue;
      const turned = descending !== field.descending;
      if (reverse !== undefined && reverse !== turned) return undefined;
      reverse = turned;
    } else if (!isConstant) return undefined;
  }
  return next === order.length ? (reverse ?? false) : undefined;
}
