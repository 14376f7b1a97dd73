import type { Path } from '../file/source.ts';
import type { Wants } from '../scenario.ts';
import type { Reader } from './reader.ts';

/** What `matches`, `error` and `took` say about an answer. */
export function readWants(
  reader: Reader,
  path: Path,
  input: { matches?: unknown; error?: string | number | undefined; took?: unknown },
): Wants {
  return {
    ...(input.matches !== undefined && { matches: reader.filter([...path, 'matches']) }),
    ...(input.error !== undefined && { error: reader.wantedError([...path, 'error'], input.error) }),
    ...(input.took !== undefined && { took: reader.numberTest([...path, 'took']).filter }),
  };
}
