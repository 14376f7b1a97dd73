import type { BsonValue } from '@replsim/protocol';
import { compareValues } from './compare.ts';
import { extractIndexValues } from './indexValues.ts';
import { MISSING, parsePath, UNDEFINED } from './paths.ts';

/**
 * The values that documents hold at a dotted path, each once, as it was seen first; 5 and 5.0 are one value.
 * The elements of an array count one by one (an array among them as a whole); empty arrays and missing fields do not.
 * Upstream: distinct_command.cpp.
 */
export function distinctValues(documents: Iterable<Uint8Array>, key: string): BsonValue[] {
  const path = parsePath(key);
  const inOrderSeen: BsonValue[] = [];
  const sorted: BsonValue[] = [];
  for (const document of documents) {
    for (const value of extractIndexValues(document, path).values) {
      if (value === MISSING || value === UNDEFINED) continue;
      const at = firstNotBelow(sorted, value);
      if (at < sorted.length && compareValues(sorted[at]!, value) === 0) continue;
      sorted.splice(at, 0, value);
      inOrderSeen.push(value);
    }
  }
  return inOrderSeen;
}

function firstNotBelow(sorted: readonly BsonValue[], value: BsonValue): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareValues(sorted[middle]!, value) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
