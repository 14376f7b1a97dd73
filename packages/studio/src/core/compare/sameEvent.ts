import { encodeDocument, OplogEntry, type TraceEvent } from '@replsim/protocol';
import { traceLine } from '@replsim/scenario';

/** Whether two runs have the same event, as the lines of their traces would say. */
export function isSameEvent(one: TraceEvent | undefined, other: TraceEvent | undefined): boolean {
  // Of two runs that are alike all lines would be made, which takes many times as long as to look.
  if (isSame(one, other)) return true;
  return one !== undefined && other !== undefined && traceLine(one) === traceLine(other);
}

/** What is the same here is the same in a line. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  if (one instanceof OplogEntry) return other instanceof OplogEntry && isSameEntry(one, other);
  if (one instanceof Uint8Array) return other instanceof Uint8Array && isSameBytes(one, other);
  if (one instanceof Date) return other instanceof Date && one.getTime() === other.getTime();
  if (one instanceof Map) return other instanceof Map && isSame([...one], [...other]);
  if ('_bsontype' in one)
    return '_bsontype' in other && isSameBytes(encodeDocument({ one }), encodeDocument({ one: other }));
  return isSameFields(one, other);
}

function isSameEntry(one: OplogEntry, other: OplogEntry): boolean {
  return (
    isSame(one.opTime, other.opTime) && isSame(one.prevOpTime, other.prevOpTime) && isSameBytes(one.bytes, other.bytes)
  );
}

/** What is undefined is as if it were not there. */
function isSameFields(one: Fields, other: Fields): boolean {
  for (const name in one) if (!isSame(one[name], other[name])) return false;
  for (const name in other) if (other[name] !== undefined && one[name] === undefined) return false;
  return true;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
