import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { valueAtPath } from '@replsim/query';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { built, NULL } from './builtValues.ts';
import { applyTree, newTree, plant } from './fieldTree.ts';
import type { Stage } from './stages.ts';

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
export function unwindStage(stage: Stage): (document: Uint8Array) => readonly Uint8Array[] {
  const { path, index, preserve } = unwindingOf(stage);
  const withElement = (document: Uint8Array, element: BsonValue | undefined, position: BsonValue): Uint8Array => {
    const tree = newTree();
    plant(tree, path, element ? { kind: 'compute', expression: () => element } : { kind: 'exclude' });
    if (index !== undefined) plant(tree, index, { kind: 'compute', expression: () => position });
    return applyTree(tree, document, true);
  };
  return (document) => {
    const value = valueAtPath(document, path);
    if (value?.type === BsonType.array) {
      const elements = elementsOf(value);
      if (elements.length > 0) {
        return elements.map((element, i) =>
          withElement(
            document,
            element,
            built((writer) => writer.int64('v', i)),
          ),
        );
      }
      return preserve ? [withElement(document, undefined, NULL)] : [];
    }
    const isNothing = !value || value.type === BsonType.null || value.type === BsonType.undefined;
    if (isNothing && !preserve) return [];
    return [index === undefined ? document : withElement(document, value, NULL)];
  };
}

function unwindingOf({ spec }: Stage): Unwinding {
  if (spec.type === BsonType.string) return { path: pathOf(readString(spec)), index: undefined, preserve: false };
  if (spec.type !== BsonType.object) {
    throw new CommandError(15981, '$unwind takes a path or an object');
  }
  const fields = new Fields(bytesOf(spec), '$unwind');
  for (const name of fields.names) {
    if (name !== 'path' && name !== 'includeArrayIndex' && name !== 'preserveNullAndEmptyArrays') {
      throw new CommandError(28811, `$unwind has no option '${name}'`);
    }
  }
  const path = fields.value('path');
  if (!path) throw new CommandError(28812, '$unwind needs a path');
  if (path.type !== BsonType.string) throw new CommandError(28808, 'path of $unwind must be a string');
  return {
    path: pathOf(readString(path)),
    index: indexOf(fields.value('includeArrayIndex')),
    preserve: preserveOf(fields.value('preserveNullAndEmptyArrays')),
  };
}

function pathOf(text: string): string {
  if (text.startsWith('$')) return text.slice(1);
  throw new CommandError(28818, `path of $unwind must begin with $, unlike '${text}'`);
}

function indexOf(value: BsonValue | undefined): string | undefined {
  if (!value) return undefined;
  const text = value.type === BsonType.string ? readString(value) : '';
  if (text === '') throw new CommandError(28810, 'includeArrayIndex of $unwind must be the name of a field');
  if (text.startsWith('$')) {
    throw new CommandError(28822, `includeArrayIndex of $unwind may not begin with $, as '${text}' does`);
  }
  return text;
}

function preserveOf(value: BsonValue | undefined): boolean {
  if (!value) return false;
  if (value.type === BsonType.bool) return value.bytes[value.offset] === 1;
  throw new CommandError(28809, 'preserveNullAndEmptyArrays of $unwind must be a boolean');
}
