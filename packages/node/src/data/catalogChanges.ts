import { type CollectionChanges, changedOptions, type GranularityChange } from '@replsim/pipeline';
import {
  databaseOf,
  decodeDocument,
  ElementCursor,
  encodeName,
  findField,
  type OplogOperation,
  RawBson,
  required,
  toHex,
} from '@replsim/protocol';
import { type CollectionView, type IndexOptionChange, parseIndexSpec } from '@replsim/storage';
import type { ApplyHost, ApplyMode, ApplyTarget } from './applyHost.ts';
import { renamed, without } from './renamed.ts';

/**
 * Carries out the command of an oplog entry on this member's catalog; what is there or gone already is fine.
 * Upstream: oplog.cpp, the table of apply functions for commands.
 */
export function applyCommand(core: ApplyTarget, operation: OplogOperation, mode: ApplyMode, host: ApplyHost): void {
  const { engine } = core;
  const db = databaseOf(operation.ns);
  const first = new ElementCursor(operation.o);
  if (!first.next()) return;
  const command = first.name;
  const body = decodeDocument(operation.o) as Record<string, never>;
  const ns = `${db}.${body[command]}`;
  // A later name may be in force already, where entries are applied to data that are newer than they.
  const collection = operation.ui ? engine.collectionByUuid(operation.ui) : engine.collection(ns);
  switch (command) {
    case 'create':
      if (collection) nameIt(core, collection, ns, true);
      else createAs(core, ns, operation, host);
      return;
    case 'drop':
      if (collection) dropTraced(core, collection, host);
      return;
    case 'dropDatabase':
      for (const each of [...engine.collections()]) if (each.ns.startsWith(`${db}.`)) dropTraced(core, each, host);
      return;
    case 'createIndexes': {
      const spec = without(operation.o, ['createIndexes']);
      const { name } = body as unknown as { name: string };
      if (!collection || collection.index(name) || host.builds.seesTo(collection, name)) return;
      // Upstream: a member that builds no indexes but `_id_` passes over the entry.
      if (!host.buildsIndexes) return;
      const parsed = parseIndexSpec(spec);
      engine.createIndex(collection.ns, parsed, { allowDuplicates: true });
      if (mode !== 'recovery') host.builds.madeAtOnce(collection, parsed);
      host.observer.indexChanged(collection.ns, name);
      return;
    }
    case 'startIndexBuild':
    case 'commitIndexBuild':
    case 'abortIndexBuild':
      return host.builds.apply(operation, collection, mode);
    case 'dropIndexes': {
      const { index } = body as unknown as { index: string };
      if (collection?.index(index)) engine.dropIndex(collection.ns, index);
      return;
    }
    case 'collMod':
      if (collection) applyCollMod(core, collection, operation.o, body, host);
      return;
    case 'renameCollection': {
      const { to, dropTarget, stayTemp } = body as unknown as RenameEntry;
      const target = dropTarget && engine.collectionByUuid(Uint8Array.from(dropTarget.buffer));
      if (target && target !== collection) dropTraced(core, target, host);
      if (collection) nameIt(core, collection, to, stayTemp === true);
      return;
    }
  }
}

/** A collection as the entry of its creation has it. */
function createAs(core: ApplyTarget, ns: string, { o, ui }: OplogOperation, host: ApplyHost): void {
  makeRoom(core, ns);
  const uuid = required(ui, 'UUID in a create entry');
  const options = without(o, ['create', 'idIndex']);
  core.engine.createCollection(ns, { uuid, options, idIndex: documentAt(o, ID_INDEX) });
  host.observer.collectionMade(ns);
}

const VALIDATOR = encodeName('validator');
const ID_INDEX = encodeName('idIndex');

/** A document within another one, as it lies. */
function documentAt(document: Uint8Array, name: Uint8Array): Uint8Array | undefined {
  const found = findField(document, name);
  return found && document.slice(found.offset, found.offset + found.size);
}

/** What was changed of an index, of the collection's own options, or of both. */
function applyCollMod(
  { engine }: ApplyTarget,
  collection: CollectionView,
  o: Uint8Array,
  body: object,
  host: ApplyHost,
): void {
  const { ns } = collection;
  const { index, ...ofCollection } = body as CollModEntry;
  if (index && collection.index(index.name)) {
    const { name, expireAfterSeconds, ...flags } = index;
    engine.setIndexOption(ns, name, {
      ...(expireAfterSeconds !== undefined && { expireAfterSeconds: Number(expireAfterSeconds) }),
      ...flags,
    });
    host.observer.indexChanged(ns, index.name);
  }
  const changes: { -readonly [K in keyof CollectionChanges]: CollectionChanges[K] } = {};
  const { cappedMax, cappedSize, changeStreamPreAndPostImages, expireAfterSeconds, timeseries } = ofCollection;
  const { usePowerOf2Sizes, validationAction, validationLevel } = ofCollection;
  if (cappedSize !== undefined) changes.cappedSize = Number(cappedSize);
  if (cappedMax !== undefined) changes.cappedMax = Number(cappedMax);
  if (expireAfterSeconds !== undefined) {
    changes.expireAfterSeconds = expireAfterSeconds === 'off' ? 'off' : Number(expireAfterSeconds);
  }
  if (timeseries) changes.timeseries = timeseries;
  // As it lies: a filter may have field names that JavaScript would put in another order.
  const validator = findField(o, VALIDATOR);
  if (validator) changes.validator = new RawBson(o.subarray(validator.offset, validator.offset + validator.size));
  if (validationLevel !== undefined) changes.validationLevel = validationLevel;
  if (validationAction !== undefined) changes.validationAction = validationAction;
  if (changeStreamPreAndPostImages) changes.changeStreamPreAndPostImages = changeStreamPreAndPostImages;
  if (usePowerOf2Sizes !== undefined) changes.usePowerOf2Sizes = usePowerOf2Sizes;
  if (Object.keys(changes).length === 0) return;
  engine.setOptions(ns, changedOptions(collection.options, changes));
  host.observer.collectionMade(ns);
}

/** The `o` of a collMod entry; numbers may be of any type. */
interface CollModEntry {
  readonly index?: Omit<IndexOptionChange, 'expireAfterSeconds'> & {
    readonly name: string;
    readonly expireAfterSeconds?: unknown;
  };
  readonly cappedSize?: unknown;
  readonly cappedMax?: unknown;
  readonly expireAfterSeconds?: unknown;
  readonly timeseries?: GranularityChange;
  readonly validationLevel?: string;
  readonly validationAction?: string;
  readonly usePowerOf2Sizes?: boolean;
  readonly changeStreamPreAndPostImages?: { readonly enabled: boolean };
}

/** The `o` of a renameCollection entry. */
interface RenameEntry {
  readonly to: string;
  readonly dropTarget?: { readonly buffer: Uint8Array };
  readonly stayTemp?: boolean;
}

function nameIt(core: ApplyTarget, collection: CollectionView, ns: string, stayTemp: boolean): void {
  if (collection.ns === ns) return;
  makeRoom(core, ns);
  renamed(core, collection.ns, ns, stayTemp);
}

/**
 * Moves the collection whose name an entry gives to another: a later entry renames or drops it.
 * Upstream: rename_collection.cpp, renameTargetCollectionToTmp.
 */
function makeRoom({ engine }: ApplyTarget, ns: string): void {
  const present = engine.collection(ns);
  if (!present) return;
  const db = databaseOf(ns);
  engine.renameCollection(ns, `${db}.tmp${toHex(present.uuid).slice(0, 5)}.rename`);
}

function dropTraced(core: ApplyTarget, collection: CollectionView, host: ApplyHost): void {
  const { ns, count } = collection;
  host.builds.leave(collection);
  core.engine.dropCollection(ns);
  if (count > 0 && core.tracing) {
    const memberState = host.memberState();
    core.trace({ type: 'documentsRemoved', ns, count, by: 'drop', memberState, acceptsWrites: host.acceptsWrites() });
  }
}
