import { type Target, wordsOf } from '@replsim/replset';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';

/** Keys of faults that hold a target, and the one that holds several. */
const TARGETS = ['on', 'from', 'to', 'member'];
const SEVERAL = 'between';

/** A fault with members in the place of zones. */
export function withoutZones(reader: Reader, path: Path, kind: string, input: unknown): unknown {
  if (reader.zones.size === 0) return input;
  if (kind === 'partition') return each(reader, path, input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return expanded(reader, path, input);
  const entries = Object.entries(input).map(([key, value]) => {
    if (key === SEVERAL) return [key, each(reader, [...path, key], value)];
    return [key, TARGETS.includes(key) ? expanded(reader, [...path, key], value) : value];
  });
  return Object.fromEntries(entries);
}

function each(reader: Reader, path: Path, targets: unknown): unknown {
  return Array.isArray(targets) ? targets.map((target, index) => expanded(reader, [...path, index], target)) : targets;
}

/** Names are looked at where they stand, as their places are others afterwards. */
function expanded(reader: Reader, path: Path, target: unknown): unknown {
  if (target === undefined) return undefined;
  const hasZone = wordsOf(target as Target).some((word) => reader.zones.has(word));
  if (!hasZone) return target;
  return reader.target(path, target as string | string[]).filter((name) => reader.isTarget(name));
}
