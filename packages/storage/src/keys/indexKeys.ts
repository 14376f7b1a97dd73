/** Which keys an index holds of a document. Upstream: btree_key_generator.cpp. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  required,
} from '@replsim/protocol';
import {
  type Collator,
  compileFilter,
  extractIndexValues,
  MISSING,
  type PathSegment,
  parsePath,
  UNDEFINED,
} from '@replsim/query';
import { distinctKeys } from './collatedKeys.ts';
import { compoundRows } from './compoundRows.ts';
import { planarRows, sphereRows } from './geoRows.ts';
import type { IndexSpec } from './indexSpec.ts';
import { dateEntry, KeyWriter } from './keys.ts';
import { textRows } from './textRows.ts';
import { ITSELF, type TextOf } from './valueKey.ts';

/**
 * A document's entries in one index, record id included: one string for the usual single one; an array, of however many,
 * if the document makes the index multikey; `NO_KEYS` if the index leaves the document out.
 */
export type IndexKeys = string | readonly string[];

export const NO_KEYS: readonly string[] = Object.freeze([]);

const writer = new KeyWriter();

/** Draws the keys of one index from documents. Two generators of one `source` draw the same. */
export class IndexKeyGenerator {
  readonly source: string;
  readonly #spec: IndexSpec;
  readonly #paths: readonly (readonly PathSegment[])[];
  /** The path of an index on one field. */
  readonly #onlyPath: readonly PathSegment[] | undefined;
  readonly #descending: readonly boolean[];
  readonly #sparse: boolean;
  readonly #collator: Collator | undefined;
  /** Strings stand in the keys as they are. */
  readonly #textOf: TextOf | undefined;
  readonly #filter: ((document: Uint8Array) => boolean) | undefined;
  /** The field's name if this is an ascending index on one top-level field. */
  readonly #plainField: Uint8Array | undefined;

  constructor(spec: IndexSpec) {
    this.source = spec.keySource;
    this.#spec = spec;
    this.#paths = spec.parts.map(({ path }) => parsePath(path));
    this.#onlyPath = this.#paths.length === 1 ? this.#paths[0] : undefined;
    this.#descending = spec.parts.map(({ descending }) => descending);
    this.#sparse = spec.sparse;
    const { collator } = spec;
    this.#collator = collator;
    this.#textOf = collator && ITSELF;
    this.#filter = spec.partialFilter && compileFilter(spec.partialFilter, { collator });
    const [first] = spec.parts;
    const plain =
      spec.kind === 'ordered' && spec.parts.length === 1 && first && !first.descending && !first.path.includes('.');
    this.#plainField = plain ? encodeName(first.path) : undefined;
  }

  /**
   * The entries of a document with this record id.
   * Throws CommandError 171 (CannotIndexParallelArrays) and 16746 (ambiguous numeric path), of a geographic index 16755 and
   * what `planarRows` throws, of a text index what `textRows` throws, of a hashed index 16766.
   */
  keysOf(bytes: Uint8Array, recordId: number): IndexKeys {
    if (this.#filter && !this.#filter(bytes)) return NO_KEYS;
    if (this.#spec.hashed) for (const path of this.#paths) checkNoArray(bytes, path);
    if (this.#spec.kind === 'special') return NO_KEYS;
    if (this.#plainField) {
      const value = findField(bytes, this.#plainField);
      if (value?.type === BsonType.date) return dateEntry(bytes, value.offset, recordId);
      if (value?.type === BsonType.array) return this.#distinct(this.#entriesOf(value, recordId));
      return value === undefined && this.#sparse ? NO_KEYS : this.#plainEntry(value ?? MISSING, recordId);
    }
    const { rows, multikey } = this.rowsOf(bytes);
    if (rows.length === 0) return NO_KEYS;
    if (this.#sparse && rows.every((row) => row.every((value) => value === MISSING))) return NO_KEYS;
    if (!multikey) return this.#entry(required(rows[0], 'row of a document'), recordId);
    return this.#distinct(new Set(rows.map((row) => this.#entry(row, recordId))));
  }

  #distinct(entries: ReadonlySet<string>): readonly string[] {
    return this.#collator === undefined ? [...entries] : distinctKeys(entries, this.#collator);
  }

  /** The same for the elements of an array, of which each is a key, without rows: an array may have a hundred thousand. */
  #entriesOf({ bytes, offset }: BsonValue, recordId: number): Set<string> {
    const entries = new Set<string>();
    const cursor = new ElementCursor(bytes, offset);
    while (cursor.next()) entries.add(this.#plainEntry(cursor, recordId));
    if (entries.size === 0) entries.add(this.#plainEntry(UNDEFINED, recordId));
    return entries;
  }

  /** The values behind the keys, a row for each key, equal rows repeated; the partial filter is not asked. */
  rowsOf(bytes: Uint8Array): { readonly rows: readonly (readonly BsonValue[])[]; readonly multikey: boolean } {
    if (this.#spec.kind === '2dsphere') return sphereRows(bytes, this.#spec);
    if (this.#spec.kind === '2d') return planarRows(bytes, this.#spec);
    if (this.#spec.kind === 'text') return textRows(bytes, this.#spec);
    if (this.#onlyPath === undefined) return compoundRows(bytes, this.#paths);
    const { values, multikey } = extractIndexValues(bytes, this.#onlyPath);
    return { rows: values.map((value) => [value]), multikey };
  }

  #entry(row: readonly BsonValue[], recordId: number): string {
    let i = 0;
    for (const value of row) this.#addPart(value, this.#descending[i++]);
    writer.addRecordId(recordId);
    return writer.take();
  }

  #plainEntry(value: BsonValue, recordId: number): string {
    this.#addPart(value, false);
    writer.addRecordId(recordId);
    return writer.take();
  }

  #addPart(value: BsonValue, descending: boolean | undefined): void {
    if (value === UNDEFINED) writer.addEmptyArray(descending);
    else writer.add(value, descending, this.#textOf);
  }
}

/**
 * An array is refused wherever the path comes upon one, an empty one too, and also at the fields of a compound hashed index that
 * are not hashed themselves. Upstream: expression_keys_private.cpp, getHashKeys.
 */
function checkNoArray(bytes: Uint8Array, path: readonly PathSegment[]): void {
  let at = 0;
  for (const [depth, { encoded }] of path.entries()) {
    const value = findField(bytes, encoded, at);
    if (value?.type === BsonType.array) {
      const found = path.slice(0, depth + 1).map(({ name }) => name);
      throw new CommandError(
        16766,
        `hashed indexes do not currently support array values. Found array at path: ${found.join('.')}`,
      );
    }
    if (value?.type !== BsonType.object) return;
    at = value.offset;
  }
}
