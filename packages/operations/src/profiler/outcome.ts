import { int64Of, isNumeric, numberOf, type Reply } from '@replsim/pipeline';
import { BsonType, type BsonValue, ElementCursor, encodeName, findField, readString } from '@replsim/protocol';

/** What an operation did, under the names that the log and the profiler have for it. Upstream: op_debug.cpp, OpDebug::append. */
export function outcomeOf(name: string, reply: Uint8Array): Reply {
  if (!hasSucceeded(reply)) return { ...(name === 'insert' && { ninserted: 0 }), ...failureOf(reply) };
  switch (name) {
    case 'insert':
      return { ninserted: numberAt(reply, 'n') };
    case 'delete':
      return { ndeleted: numberAt(reply, 'n') };
    case 'update': {
      const nUpserted = elementsAt(reply, 'upserted').length;
      const nMatched = numberAt(reply, 'n') - nUpserted;
      return { nMatched, nModified: numberAt(reply, 'nModified'), ...(nUpserted > 0 && { nUpserted }) };
    }
    case 'bulkWrite':
      return { ...bulkOutcome(reply), ...cursorOutcome(reply) };
    default:
      return cursorOutcome(reply);
  }
}

export function hasSucceeded(reply: Uint8Array): boolean {
  return numberAt(reply, 'ok') === 1;
}

function bulkOutcome(reply: Uint8Array): Reply {
  return {
    ninserted: numberAt(reply, 'nInserted'),
    nMatched: numberAt(reply, 'nMatched'),
    nModified: numberAt(reply, 'nModified'),
    nUpserted: numberAt(reply, 'nUpserted'),
    ndeleted: numberAt(reply, 'nDeleted'),
  };
}

function cursorOutcome(reply: Uint8Array): Reply {
  const cursor = fieldOf(reply, 'cursor');
  if (cursor?.type !== BsonType.object) return {};
  const at = cursor.bytes.subarray(cursor.offset, cursor.offset + cursor.size);
  const id = fieldOf(at, 'id');
  const nreturned = elementsAt(at, 'firstBatch').length + elementsAt(at, 'nextBatch').length;
  const cursorid = id ? int64Of(id) : 0n;
  return { ...(cursorid === 0n ? { cursorExhausted: true } : { cursorid }), nreturned };
}

function failureOf(reply: Uint8Array): Reply {
  return { errMsg: textAt(reply, 'errmsg'), errName: textAt(reply, 'codeName'), errCode: numberAt(reply, 'code') };
}

function fieldOf(document: Uint8Array, name: string): BsonValue | undefined {
  return findField(document, encodeName(name));
}

function numberAt(document: Uint8Array, name: string): number {
  const value = fieldOf(document, name);
  return value && isNumeric(value.type) ? numberOf(value) : 0;
}

function textAt(document: Uint8Array, name: string): string {
  const value = fieldOf(document, name);
  return value?.type === BsonType.string ? readString(value) : '';
}

function elementsAt(document: Uint8Array, name: string): BsonValue[] {
  const value = fieldOf(document, name);
  const elements: BsonValue[] = [];
  if (value?.type !== BsonType.array) return elements;
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) elements.push(cursor.value());
  return elements;
}
