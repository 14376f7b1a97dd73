/** The rows of a document in a text index: what `IndexKeyGenerator` makes keys of. Upstream: fts_index_format.cpp. */
import { type BsonValue, BsonWriter, CommandError, requiredField } from '@replsim/protocol';
import { extractIndexValues, MISSING } from '@replsim/query';
import { scoresOf } from '@replsim/text';
import { describeDocument } from './describe.ts';
import type { IndexSpec } from './indexSpec.ts';

interface Rows {
  readonly rows: readonly (readonly BsonValue[])[];
  readonly multikey: boolean;
}

/**
 * The rows of a text index: one for each term, with its weight behind it and the values of the other fields around both.
 * Simplification: long terms stand in full, where upstream keeps 224 bytes and a digest. Errors: CannotBuildIndexKeys 201 for an
 * array in another field, those of `scoresOf`.
 */
export function textRows(bytes: Uint8Array, { parts, text }: IndexSpec): Rows {
  const others = parts.map(({ path, plugin }) => (plugin ? undefined : onlyValue(bytes, path)));
  const scores = text ? [...scoresOf(text, bytes)] : [];
  const rows = scores.map(([term, score]) => {
    const texts = [valueFrom((writer) => writer.string('', term)), valueFrom((writer) => writer.double('', score))];
    return others.map((other) => other ?? texts.shift() ?? MISSING);
  });
  return { rows, multikey: rows.length > 1 };
}

function onlyValue(bytes: Uint8Array, path: string): BsonValue {
  const { values, multikey } = extractIndexValues(bytes, path);
  const [value] = values;
  if (!multikey && value) return value;
  throw new CommandError(
    'CannotBuildIndexKeys',
    `Field '${path}' of text index contains an array in document: ${describeDocument(bytes)}`,
  );
}

function valueFrom(write: (writer: BsonWriter) => void): BsonValue {
  const writer = new BsonWriter(32);
  write(writer);
  return requiredField(writer.finish(), NO_NAME);
}

const NO_NAME = new Uint8Array(0);
