/**
 * LevelDB's manifest: which files make up a database. LevelDB itself does not miss a log that the manifest names.
 * Upstream: google/leveldb, db/version_edit.cc.
 */
import { payloadsIn } from './levelLog.ts';
import { Varints } from './varints.ts';

/** The files that count. */
export interface Manifest {
  /** The oldest log that is not in the tables yet; 0 if there never was one. */
  readonly log: number;
  /** Sizes of tables by number. */
  readonly tables: ReadonlyMap<number, number>;
}

const COMPARATOR = 1;
const LOG = 2;
const NEXT_FILE = 3;
const LAST_SEQUENCE = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG = 9;

/** @returns undefined if the bytes are not a manifest */
export function readManifest(bytes: Uint8Array): Manifest | undefined {
  const edits = payloadsIn(bytes);
  if (edits === undefined) return undefined;
  const read = { log: undefined as number | undefined, tables: new Map<number, number>() };
  try {
    for (const edit of edits) apply(new Varints(edit), read);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return read.log === undefined ? undefined : { log: read.log, tables: read.tables };
}

function apply(edit: Varints, read: { log: number | undefined; readonly tables: Map<number, number> }): void {
  while (!edit.isAtEnd) {
    const tag = edit.next();
    if (tag === LOG) read.log = edit.next();
    else if (tag === NEXT_FILE || tag === LAST_SEQUENCE || tag === PREVIOUS_LOG) edit.next();
    else if (tag === COMPARATOR) edit.take(edit.next());
    else if (tag === COMPACT_POINTER) {
      edit.next();
      edit.take(edit.next());
    } else if (tag === DELETED_FILE) {
      edit.next();
      read.tables.delete(edit.next());
    } else if (tag === NEW_FILE) {
      edit.next();
      read.tables.set(edit.next(), edit.next());
      // The first and the last key.
      for (let key = 0; key < 2; key++) edit.take(edit.next());
    } else throw new RangeError(`no edit has a tag ${tag}`);
  }
}
