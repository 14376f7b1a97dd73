import {
  BsonType,
  BsonWriter,
  databaseOf,
  ElementCursor,
  encodeName,
  findField,
  firstKey,
  readString,
  requiredField,
  splitNamespace,
} from '@replsim/protocol';
import { isDelta } from '@replsim/query';
import type { EventIdentifier, EventPlace } from './resumeToken.ts';
import type { StreamOperation } from './streamOperation.ts';

/** What a namespace is to a client: the database, and the collection where it is about one. */
export interface EventNamespace {
  readonly db: string;
  readonly coll?: string | undefined;
}

/** What happened, as a stream tells it, before anybody asked for images of it. Documents are BSON. */
export interface StreamEvent extends EventIdentifier {
  readonly source: StreamOperation;
  /** Shown without `showExpandedEvents` too. */
  readonly isClassic: boolean;
  readonly ns: EventNamespace;
  /** A rename's. */
  readonly to?: EventNamespace;
  /** Of what the event is about, 16 bytes; views have one in tokens alone. */
  readonly uuid: Uint8Array | undefined;
  readonly isView?: true;
  /** What an insert or replacement carries. */
  readonly fullDocument?: Uint8Array;
  /** An update's `{ $v: 2, diff }`. */
  readonly delta?: Uint8Array;
  readonly stateBeforeChange?: Uint8Array;
  /** Of what was created: 8.1 and later tell. */
  readonly nsType?: 'collection' | 'view' | 'timeseries';
}

/** The place of an event, of which its token is made. @param fromInvalidate of the invalidation that it brings */
export function placeOf(event: StreamEvent, fromInvalidate = false): EventPlace {
  const { clusterTime, txnOpIndex } = event.source;
  return { clusterTime, txnOpIndex, fromInvalidate, uuid: event.uuid, identifier: event };
}

/** What an operation is to a stream that has it in its scope. Upstream: change_stream_event_transform.cpp. */
export function eventOf(source: StreamOperation): StreamEvent {
  const { operation } = source;
  if (operation.op === 'c') return commandEvent(source);
  if (operation.ns.endsWith('.system.views')) return viewEvent(source);
  const { ns, ui, o } = operation;
  const common = { source, ns: named(ns), uuid: ui, isClassic: true, operationDescription: undefined } as const;
  switch (operation.op) {
    case 'i':
      return { ...common, operationType: 'insert', documentKey: operation.o2 ?? keyOf(o), fullDocument: o };
    case 'd':
      return { ...common, operationType: 'delete', documentKey: o };
    default:
      if (isDelta(o)) return { ...common, operationType: 'update', documentKey: operation.o2, delta: o };
      return { ...common, operationType: 'replace', documentKey: operation.o2, fullDocument: o };
  }
}

/** How events call what the oplog calls so. */
const TYPE_OF_COMMAND: Readonly<Record<string, string>> = {
  drop: 'drop',
  renameCollection: 'rename',
  dropDatabase: 'dropDatabase',
  create: 'create',
  createIndexes: 'createIndexes',
  commitIndexBuild: 'createIndexes',
  dropIndexes: 'dropIndexes',
  collMod: 'modify',
};

function commandEvent(source: StreamOperation): StreamEvent {
  const { ns, o, o2, ui } = source.operation;
  const command = firstKey(o);
  const db = databaseOf(ns);
  const operationType = TYPE_OF_COMMAND[command] ?? command;
  const common = { source, operationType, documentKey: undefined } as const;
  const rest = without(o, [command]);
  const on = (): EventNamespace => ({ db, coll: stringOf(o, command) });
  switch (command) {
    case 'dropDatabase':
      return { ...common, isClassic: true, ns: { db }, uuid: undefined, operationDescription: undefined };
    case 'drop':
      return { ...common, isClassic: true, ns: on(), uuid: ui, operationDescription: undefined };
    case 'renameCollection': {
      const to = named(stringOf(o, 'to'));
      const operationDescription = renameDescription(o, to);
      return { ...common, isClassic: true, ns: named(stringOf(o, command)), to, uuid: ui, operationDescription };
    }
    case 'createIndexes':
      return { ...common, isClassic: false, ns: on(), uuid: ui, operationDescription: ofIndexes([rest]) };
    case 'startIndexBuild':
    case 'abortIndexBuild':
    case 'commitIndexBuild': {
      const operationDescription = ofIndexes(documentsIn(o, 'indexes'));
      return { ...common, isClassic: false, ns: on(), uuid: ui, operationDescription };
    }
    case 'dropIndexes':
      return { ...common, isClassic: false, ns: on(), uuid: ui, operationDescription: ofIndexes(o2 ? [o2] : []) };
    case 'collMod': {
      const stateBeforeChange = o2 && stateBefore(o2);
      const changed = { ...common, isClassic: false, ns: on(), uuid: ui, operationDescription: rest };
      return stateBeforeChange ? { ...changed, stateBeforeChange } : changed;
    }
    default:
      return { ...common, isClassic: false, ns: on(), uuid: ui, operationDescription: rest, nsType: 'collection' };
  }
}

/** Views are documents of `system.views`, whose `_id` is their namespace. Upstream: ChangeStreamViewDefinitionEventTransformation. */
function viewEvent(source: StreamOperation): StreamEvent {
  const { op, o, o2, ui } = source.operation;
  const ns = named(stringOf(op === 'u' && o2 ? o2 : o, '_id'));
  const common = { source, ns, uuid: ui, isView: true, isClassic: false, documentKey: undefined } as const;
  if (op === 'd') return { ...common, operationType: 'drop', operationDescription: undefined };
  const operationDescription = without(o, ['_id']);
  if (op === 'u') return { ...common, operationType: 'modify', operationDescription };
  const nsType = stringOf(o, 'viewOn').startsWith('system.buckets.') ? 'timeseries' : 'view';
  return { ...common, operationType: 'create', operationDescription, nsType };
}

function named(ns: string): EventNamespace {
  const [db, coll] = splitNamespace(ns);
  return { db, coll };
}

function keyOf(document: Uint8Array): Uint8Array {
  const writer = new BsonWriter(64);
  writer.rawValue('_id', requiredField(document, encodeName('_id')));
  return writer.finish();
}

/** All but the name of what was renamed, and whether it stays a temporary one; its new name in two parts. */
function renameDescription(o: Uint8Array, to: EventNamespace): Uint8Array {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(o);
  while (cursor.next()) {
    if (cursor.name === 'to') writeNamespace(writer, 'to', to);
    else if (cursor.name !== 'renameCollection' && cursor.name !== 'stayTemp') writer.rawValue(cursor.name, cursor);
  }
  return writer.finish();
}

/** `{ db, coll? }`. */
export function writeNamespace(writer: BsonWriter, name: string, { db, coll }: EventNamespace): void {
  writer.beginDocument(name);
  writer.string('db', db);
  if (coll !== undefined) writer.string('coll', coll);
  writer.endDocument();
}

function ofIndexes(specs: readonly Uint8Array[]): Uint8Array {
  const writer = new BsonWriter();
  writer.beginArray('indexes');
  for (const [i, spec] of specs.entries()) writer.rawDocument(String(i), spec);
  writer.endArray();
  return writer.finish();
}

/** What a `collMod` says that there was before, under the names that events have for it. */
function stateBefore(o2: Uint8Array): Uint8Array | undefined {
  const writer = new BsonWriter();
  let isEmpty = true;
  for (const name of ['collectionOptions', 'indexOptions']) {
    const old = findField(o2, encodeName(`${name}_old`));
    // An index that was not touched has no old options.
    if (!old || (name === 'indexOptions' && old.size === EMPTY_SIZE)) continue;
    writer.rawValue(name, old);
    isEmpty = false;
  }
  return isEmpty ? undefined : writer.finish();
}

const EMPTY_SIZE = 5;

function documentsIn(document: Uint8Array, name: string): Uint8Array[] {
  const array = findField(document, encodeName(name));
  if (array?.type !== BsonType.array) return [];
  const documents: Uint8Array[] = [];
  const cursor = new ElementCursor(array.bytes, array.offset);
  while (cursor.next()) documents.push(cursor.bytes.slice(cursor.offset, cursor.offset + cursor.size));
  return documents;
}

function stringOf(document: Uint8Array, name: string): string {
  const value = findField(document, encodeName(name));
  return value?.type === BsonType.string ? readString(value) : '';
}

function without(document: Uint8Array, names: readonly string[]): Uint8Array {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(document);
  while (cursor.next()) if (!names.includes(cursor.name)) writer.rawValue(cursor.name, cursor);
  return writer.finish();
}
