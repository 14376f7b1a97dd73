import { BsonType, encodeName, findField, readString, readTimestamp, type StreamedEvent } from '@replsim/protocol';
import { showDocument } from '../file/show.ts';

const ID = encodeName('_id');
const DATA = encodeName('_data');
const TYPE = encodeName('operationType');
const CLUSTER_TIME = encodeName('clusterTime');
const NS = encodeName('ns');
const DB = encodeName('db');
const COLL = encodeName('coll');
const KEY = encodeName('documentKey');

/** What the trace tells of an event that a client was shown; what the pipeline has taken away is left out. */
export function eventTrace(event: Uint8Array): StreamedEvent {
  const id = findField(event, ID);
  const clusterTime = findField(event, CLUSTER_TIME);
  const ns = findField(event, NS);
  const key = findField(event, KEY);
  const db = ns?.type === BsonType.object ? text(event, DB, ns.offset) : undefined;
  const coll = ns?.type === BsonType.object ? text(event, COLL, ns.offset) : undefined;
  return {
    operationType: text(event, TYPE) ?? 'unknown',
    ...(db !== undefined && { ns: coll === undefined ? db : `${db}.${coll}` }),
    ...(key?.type === BsonType.object && {
      documentKey: showDocument(key.bytes.slice(key.offset, key.offset + key.size)),
    }),
    ...(clusterTime?.type === BsonType.timestamp && { clusterTime: readTimestamp(clusterTime) }),
    token: (id?.type === BsonType.object && text(event, DATA, id.offset)) || '',
  };
}

function text(document: Uint8Array, name: Uint8Array, start = 0): string | undefined {
  const value = findField(document, name, start);
  return value?.type === BsonType.string ? readString(value) : undefined;
}
