import { type BsonValue, BsonWriter, ElementCursor } from '@replsim/protocol';

/** What a fragment has beside the event's fields and its token: `splitEvent: { fragment, of }`, rounded up. */
const FRAME_BYTES = 64;

/**
 * Deals the fields of an event that is too large out to several documents, the smallest fields first.
 * Upstream: change_stream_split_event_helpers.cpp, processChangeEventBeforeSplit and splitChangeEvent.
 * @param event BSON, its `_id` the token
 * @param fragmentToken the token, a document, of the fragment with this number, from 0 on
 * @returns undefined where a single field with what belongs to it exceeds `maxBytes`
 */
export function splitEvent(
  event: Uint8Array,
  maxBytes: number,
  fragmentToken: (fragmentNum: number) => Uint8Array,
): Uint8Array[] | undefined {
  const fragments: BsonField[][] = [];
  // All tokens of an event are nearly as long as the first one.
  const frame = FRAME_BYTES + fragmentToken(0).length + 8;
  let room = 0;
  for (const field of fieldsOf(event)) {
    if (frame + field.length > maxBytes) return undefined;
    if (field.length > room) {
      fragments.push([]);
      room = maxBytes - frame;
    }
    fragments.at(-1)!.push(field);
    room -= field.length;
  }
  return fragments.map((fields, i) => encodeFragment(fields, fragmentToken(i), i + 1, fragments.length));
}

interface BsonField {
  readonly name: string;
  readonly value: BsonValue;
  readonly length: number;
}

/** All fields but the token, the smallest first; of equal ones the first. */
function fieldsOf(event: Uint8Array): BsonField[] {
  const fields: BsonField[] = [];
  const cursor = new ElementCursor(event);
  while (cursor.next()) {
    const length = 2 + cursor.nameEnd - cursor.nameStart + cursor.size;
    if (cursor.name !== '_id') fields.push({ name: cursor.name, value: cursor.value(), length });
  }
  return fields.sort((a, b) => a.length - b.length);
}

function encodeFragment(fields: readonly BsonField[], token: Uint8Array, fragment: number, of: number): Uint8Array {
  const writer = new BsonWriter(512);
  writer.rawDocument('_id', token);
  writer.beginDocument('splitEvent');
  writer.int32('fragment', fragment);
  writer.int32('of', of);
  writer.endDocument();
  for (const { name, value } of fields) writer.rawValue(name, value);
  return writer.finish();
}
