import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { applyProjection, checkFieldPath, type Meter, newProjectionTree, plantNode, ROW_STEPS } from '@replsim/query';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { built, NULL } from './builtValues.ts';
import type { DocumentScores } from './documentScores.ts';
import type { Gather } from './groupStages.ts';
import { nestedValue, placeAt } from './nestedFields.ts';
import type { Stage } from './stages.ts';
import { pay } from './work.ts';

/** Simplified: mongod hands on one document after the other and knows no bound; stages here take whole sets of documents. */
const MAX_UNWOUND_BYTES = 2 ** 30;

interface Unwinding {
  readonly path: string;
  /** Where the position in the array is noted. */
  readonly index: string | undefined;
  /** What has nothing to unwind is passed on. */
  readonly preserve: boolean;
}

/**
 * `{ $unwind: '$path' | { path, includeArrayIndex?, preserveNullAndEmptyArrays? } }`: a document for each element; what is no
 * array counts as one element. Errors: Location15981, 28808 to 28818. Upstream: document_source_unwind.cpp.
 */
export function unwindStage(stage: Stage, meter: Meter, scores?: DocumentScores): Gather {
  const unwinding = unwindingOf(stage);
  return function* (documents) {
    const unwound: Uint8Array[] = [];
    let bytes = 0;
    for (const document of documents) {
      yield* pay(meter, ROW_STEPS);
      for (const each of unwind(document, unwinding, bytes)) {
        yield* pay(meter, ROW_STEPS);
        bytes = checkedSize(bytes + each.length);
        unwound.push(each);
        scores?.carry(document, each);
      }
    }
    return unwound;
  };
}

/** What one document unwinds to, one after the other. @param before how many bytes there are already */
function* unwind(document: Uint8Array, { path, index, preserve }: Unwinding, before: number): Generator<Uint8Array> {
  const value = nestedValue(document, path);
  if (value?.type !== BsonType.array) {
    const isNothing = !value || value.type === BsonType.null || value.type === BsonType.undefined;
    if (!isNothing || preserve) yield index === undefined ? document : placed(document, path, value, index, NULL);
    return;
  }
  const elements = elementsOf(value);
  if (elements.length === 0) {
    if (preserve) yield placed(document, path, undefined, index, NULL);
    return;
  }
  // Each document is made from one that has lost the array: made from the whole, n elements would cost n² bytes of copying.
  const shell = placed(document, path, NULL, index, NULL);
  checkedSize(before + elements.length * shell.length);
  for (const [i, element] of elements.entries()) {
    yield placed(shell, path, element, index, index === undefined ? NULL : built((writer) => writer.int64('v', i)));
  }
}

/** A document with a value (or nothing) at the path, and a position beside it if that is asked for. */
function placed(
  document: Uint8Array,
  path: string,
  value: BsonValue | undefined,
  index: string | undefined,
  position: BsonValue,
): Uint8Array {
  const unwound = value ? placeAt(document, path, value) : without(document, path);
  return index === undefined ? unwound : placeAt(unwound, index, position);
}

function without(document: Uint8Array, path: string): Uint8Array {
  const tree = newProjectionTree();
  plantNode(tree, path, { kind: 'exclude' });
  return applyProjection(tree, document, true);
}

/** Throws QueryExceededMemoryLimitNoDiskUseAllowed 292. */
function checkedSize(bytes: number): number {
  if (bytes <= MAX_UNWOUND_BYTES) return bytes;
  throw new CommandError(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Exceeded memory limit: $unwind makes more than ${MAX_UNWOUND_BYTES} bytes of documents. Project away what is large before it`,
  );
}

function unwindingOf({ spec }: Stage): Unwinding {
  if (spec.type === BsonType.string) return { path: pathOf(readString(spec)), index: undefined, preserve: false };
  if (spec.type !== BsonType.object) {
    throw new CommandError(15981, 'expected either a string or an object as specification for $unwind stage');
  }
  const fields = new Fields(bytesOf(spec), '$unwind');
  for (const name of fields.names) {
    if (name !== 'path' && name !== 'includeArrayIndex' && name !== 'preserveNullAndEmptyArrays') {
      throw new CommandError(28811, `unrecognized option to $unwind stage: ${name}`);
    }
  }
  const path = fields.value('path');
  if (!path) throw new CommandError(28812, 'no path specified to $unwind stage');
  if (path.type !== BsonType.string) throw new CommandError(28808, 'expected a string as the path for $unwind stage');
  return {
    path: pathOf(readString(path)),
    index: indexOf(fields.value('includeArrayIndex')),
    preserve: preserveOf(fields.value('preserveNullAndEmptyArrays')),
  };
}

function pathOf(text: string): string {
  if (text === '') throw new CommandError(28812, 'no path specified to $unwind stage');
  if (text.startsWith('$')) {
    checkFieldPath(text.slice(1));
    return text.slice(1);
  }
  throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${text}`);
}

function indexOf(value: BsonValue | undefined): string | undefined {
  if (!value) return undefined;
  const text = value.type === BsonType.string ? readString(value) : '';
  if (text === '')
    throw new CommandError(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  if (text.startsWith('$')) {
    throw new CommandError(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${text}`,
    );
  }
  return text;
}

function preserveOf(value: BsonValue | undefined): boolean {
  if (!value) return false;
  if (value.type === BsonType.bool) return value.bytes[value.offset] === 1;
  throw new CommandError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
}
