import { checkIndexSpec } from '@replsim/database';
import { didYouMean } from '@replsim/kernel';
import { INDEX_OPTIONS } from '@replsim/pipeline';
import { CommandError, encodeDocument, type MongodVersion, VERSIONS } from '@replsim/protocol';
import { Template } from '../file/placeholder.ts';
import type { Path, Source } from '../file/source.ts';

/** Who would refuse, and where what is wrong is told. */
interface Judged {
  readonly source: Source;
  readonly releases: readonly MongodVersion[];
  readonly skipsIndexChecks: boolean;
}

/** What to do about a refusal, by a part of what mongod says. */
const WAYS_OUT: readonly (readonly [says: RegExp, way: string])[] = [
  [/single field/, 'a TTL index has one field: keys: { lastSeen: 1 }'],
  [/less than 0|within the range/, 'seconds, from 0 to 2147483647'],
  [/must be numeric/, 'seconds, from 0 to 2147483647'],
  [/_id field/, 'put the date into a field of its own'],
  [/numbers > 0|cannot be 0/, 'write 1 to ascend, -1 to descend'],
  [/'name' field is a required/, 'write name: a_1, as drivers and the step createIndex do'],
  [/Unknown index plugin/, '1, -1, hashed, text, 2d or 2dsphere'],
];

/**
 * Tells of an index that every member would refuse. What only the run knows is passed over.
 * @param places where its parts stand, by name; `''` where it stands as a whole
 */
export function judgeIndex(
  { source, releases, skipsIndexChecks }: Judged,
  spec: unknown,
  places: (part: string) => Path,
): void {
  if (!(spec instanceof Map) || skipsIndexChecks) return;
  const template = new Template(spec);
  if (template.dynamic) return;
  const bytes = encodeDocument(template.value);
  let refusal: string | undefined;
  for (const version of releases) {
    const said = refusalOf(() => checkIndexSpec(bytes, VERSIONS[version]));
    if (said === undefined) return;
    refusal ??= said;
  }
  if (refusal === undefined) return;
  const [, unknown] =
    /(?:has no option '|The field '(?=\w+' is not valid for an (?:_id )?index))(\w+)'/.exec(refusal) ?? [];
  const message = shortened(refusal);
  if (unknown !== undefined) {
    const suggestion = didYouMean(unknown, INDEX_OPTIONS) ?? `known are ${[...INDEX_OPTIONS].join(', ')}`;
    return source.mistakeAtKey(places(unknown).slice(0, -1), unknown, message, suggestion);
  }
  const part = [...spec.keys()].find((key) => key !== 'key' && refusal.includes(`'${key}'`)) ?? '';
  const way = WAYS_OUT.find(([says]) => says.test(refusal))?.[1];
  source.mistakeAtPath(places(part), message, way);
}

function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
}

/** The spec stands in the file, and need not be shown again. */
function shortened(refusal: string): string {
  const [, cause] = / :: caused by :: (.*)$/.exec(refusal) ?? [];
  return cause ?? refusal.replace(/\. (Index spec|Specification): .*$|: \{.*\}$/, '');
}
