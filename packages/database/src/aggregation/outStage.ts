import { type Operation, spend } from '@replsim/operations';
import {
  bytesOf,
  cappedLimits,
  checkCreatableName,
  EMPTY_DOCUMENT,
  Fields,
  newDocument,
  type Stage,
  typeName,
  viewDefinition,
} from '@replsim/pipeline';
import { BsonType, CommandError, readString } from '@replsim/protocol';
import type { CollectionView, ReadView, StoredDocument } from '@replsim/storage';
import { passingName } from '../catalog/passingName.ts';
import { checkValid } from '../catalog/validation.ts';
import type { CommandContext } from '../definition.ts';
import type { DataServices, MemberFacts } from '../member.ts';

/** Where a stage writes to. */
export interface Target {
  readonly db: string;
  readonly collection: string;
}

/**
 * `{ $out: coll | { db, coll } }`: where to. Errors: Location16990, 17385 for a system collection, 31321 for an internal
 * database, CommandNotSupported 115 for a time series, InvalidNamespace 73. Upstream: document_source_out.cpp.
 */
export function outTarget({ spec }: Stage, db: string): Target {
  const target = spec.type === BsonType.string ? { db, collection: readString(spec) } : undefined;
  if (target) return checkedTarget(target, '$out');
  if (spec.type !== BsonType.object) {
    throw new CommandError(16990, `$out only supports a string or object argument, but found ${typeName(spec.type)}`);
  }
  const fields = new Fields(bytesOf(spec), '$out');
  fields.allow(outFields);
  if (fields.has('timeseries')) {
    throw new CommandError('CommandNotSupported', '$out into a time series is not supported by replsim yet');
  }
  return checkedTarget({ db: fields.requiredString('db'), collection: fields.requiredString('coll') }, '$out');
}

const outFields = new Set(['db', 'coll', 'timeseries']);

/** Errors: Location31321, 17385, InvalidNamespace 73. */
export function checkedTarget(target: Target, stage: string): Target {
  const { db, collection } = target;
  if (['admin', 'config', 'local'].includes(db))
    throw new CommandError(31321, `${stage} may not write to the database ${db}`);
  if (collection.startsWith('system.'))
    throw new CommandError(17385, `${stage} may not write to the collection ${collection}`);
  checkCreatableName(db, collection);
  return target;
}

/**
 * Puts documents in the place of a collection, which keeps its options and indexes: they are written to a passing collection
 * that then takes its name. All at one instant, once it is paid for, so that no member dies half-way.
 * Errors: Location17152 for a capped target, CommandNotSupportedOnView 166, DuplicateKey 11000, DocumentValidationFailure 121;
 * nothing has changed then.
 * Upstream: document_source_out.cpp, initialize and finalize.
 */
export function* writeOut(
  { member, writes }: CommandContext,
  { db, collection: name }: Target,
  documents: readonly Uint8Array[],
  bypassesValidation: boolean,
): Operation<void> {
  const ns = `${db}.${name}`;
  const present = () => presentTarget(writes.newest(), member, ns);
  const { costs } = member;
  const keys = present()?.indexes.length ?? 1;
  yield* spend(documents.length * (costs.insertMicros + keys * costs.indexKeyMicros) + costs.commitMicros);
  const before = present();
  const passing = passingName(db, 'agg_out', member.ids);
  writes.createCollection(passing, before?.options ?? EMPTY_DOCUMENT);
  try {
    for (const { spec } of before?.indexes ?? []) if (spec.name !== '_id_') writes.createIndex(passing, spec.bytes);
    const all = documents.map((document) => stored(member, document));
    if (before && !bypassesValidation) for (const { bytes } of all) checkValid(member, before, bytes);
    writes.insert(passing, all);
  } catch (error) {
    writes.dropCollection(passing);
    throw error;
  }
  writes.renameCollection(passing, ns, { stayTemp: false });
}

function presentTarget(data: ReadView, { indexBuilds }: DataServices, ns: string): CollectionView | undefined {
  if (viewDefinition(data, ns))
    throw new CommandError('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  const target = data.collection(ns);
  if (target && cappedLimits(target)) {
    throw new CommandError(17152, `namespace '${ns}' is capped so it can't be used for $out`);
  }
  if (target) indexBuilds.checkNone(target);
  return target;
}

/** A document that a stage writes, with an `_id`. */
export function stored(member: MemberFacts, document: Uint8Array): StoredDocument {
  const clock = { secs: Math.floor(member.now.wallMs / 1000), inc: 1 };
  return newDocument(document, member.ids, clock, { fillsTimestamps: true });
}
