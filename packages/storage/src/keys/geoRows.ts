/** The rows of a document in a geographic index: what `IndexKeyGenerator` makes keys of. Upstream: expression_keys_private.cpp. */
import { planarKeys, sphereKeys } from '@replsim/geo';
import { type BsonValue, BsonWriter, CommandError, encodeName, indexName, requiredField } from '@replsim/protocol';
import { extractIndexValues, MISSING, valuesAtPath } from '@replsim/query';
import { describeDocument } from './describe.ts';
import type { IndexSpec } from './indexSpec.ts';

interface Rows {
  readonly rows: readonly (readonly BsonValue[])[];
  readonly multikey: boolean;
}

/**
 * The rows of a 2dsphere index: every cell of each geometry with every value of the other fields. None for a document that has
 * no geometry at all. Throws CommandError 16755 for what is none.
 */
export function sphereRows(bytes: Uint8Array, { parts, cellLevels }: IndexSpec): Rows {
  let multikey = false;
  let hasGeometry = false;
  const columns = parts.map(({ path, plugin }) => {
    if (plugin === undefined) {
      const found = extractIndexValues(bytes, path);
      multikey ||= found.multikey;
      return found.values;
    }
    const cells = cellsAt(bytes, path, cellLevels);
    multikey ||= cells.length > 1;
    hasGeometry ||= cells.length > 0;
    return cells.length > 0 ? cells : [MISSING];
  });
  return { rows: hasGeometry ? product(columns) : [], multikey };
}

function cellsAt(bytes: Uint8Array, path: string, levels: IndexSpec['cellLevels']): BsonValue[] {
  try {
    const values = valuesAtPath(bytes, path, false).filter((value) => value !== MISSING);
    return sphereKeys(values, levels);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(16755, `Can't extract geo keys: ${describeDocument(bytes)}  ${error.message}`);
  }
}

/**
 * The rows of a 2d index: one for each point, with what the other fields hold, several values as one array.
 * Throws CommandError 13026, 13027, 13068 and 16804.
 */
export function planarRows(bytes: Uint8Array, { parts, square }: IndexSpec): Rows {
  const [first, ...others] = parts;
  const squares = first ? planarKeys(valuesAtPath(bytes, first.path, false), square) : [];
  const rest = others.map(({ path }) => oneValue(extractIndexValues(bytes, path).values));
  return { rows: squares.map((key) => [key, ...rest]), multikey: squares.length > 1 };
}

function oneValue(values: readonly BsonValue[]): BsonValue {
  const [only, ...more] = values;
  if (only && more.length === 0) return only;
  const writer = new BsonWriter();
  writer.beginArray('');
  for (const [i, value] of values.entries()) writer.rawValue(indexName(i), value);
  writer.endArray();
  return requiredField(writer.finish(), NO_NAME);
}

const NO_NAME = encodeName('');

/** Every choice of one value from each column. */
function product(columns: readonly (readonly BsonValue[])[]): BsonValue[][] {
  return columns.reduce<BsonValue[][]>(
    (rows, column) => rows.flatMap((row) => column.map((value) => [...row, value])),
    [[]],
  );
}
