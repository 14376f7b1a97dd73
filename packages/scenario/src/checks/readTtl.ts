import { didYouMeanOneOf } from '@replsim/kernel';
import type { Path } from '../file/source.ts';
import { SUMMARY_FIELDS } from '../lateness/summary.ts';
import type { Reader } from '../reading/reader.ts';
import type { TtlPart } from '../scenario.ts';

/** Reads a check's `ttl`; a field that no summary has would make a filter that never matches, so it is a mistake. */
export function readTtl(
  reader: Reader,
  path: Path,
  { index, ns, on }: { readonly index: string; readonly ns?: string | undefined; readonly on?: string | undefined },
): TtlPart {
  if (on !== undefined) reader.member([...path, 'on'], on);
  const at = [...path, 'lateness'];
  const lateness = reader.filter(at);
  checkFields(reader, at, lateness.value);
  return { kind: 'ttl', index, ns, on, lateness };
}

function checkFields(reader: Reader, path: Path, filter: ReadonlyMap<string, unknown>): void {
  for (const [key, value] of filter) {
    if (key.startsWith('$')) checkBranches(reader, [...path, key], value);
    else if (!SUMMARY_FIELDS.includes(key))
      reader.source.mistakeAtKey(path, key, `a lateness has no "${key}"`, didYouMeanOneOf(key, SUMMARY_FIELDS));
  }
}

/** `$and`, `$or`, `$nor`: lists of filters. */
function checkBranches(reader: Reader, path: Path, value: unknown): void {
  if (!Array.isArray(value)) return;
  for (const [i, branch] of value.entries()) if (branch instanceof Map) checkFields(reader, [...path, i], branch);
}
