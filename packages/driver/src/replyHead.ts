import { BsonWriter, decodePromoted, ElementCursor } from '@replsim/protocol';

type Head = Readonly<ReturnType<typeof decodePromoted>>;

const heads = new WeakMap<Uint8Array, Head>();

/**
 * A reply without the documents that it carries, decoded for reading: how it ended, and its times. A driver looks at these
 * several times, and a batch may be a thousand times as long.
 */
export function headOf(reply: Uint8Array): Head {
  let head = heads.get(reply);
  if (!head) {
    head = decodePromoted(headBytes(reply));
    heads.set(reply, head);
  }
  return head;
}

/** The same as BSON. */
export function headBytes(reply: Uint8Array): Uint8Array {
  const writer = new BsonWriter(256);
  const cursor = new ElementCursor(reply);
  while (cursor.next()) if (cursor.name !== 'cursor') writer.rawValue(cursor.name, cursor.value());
  return writer.finish();
}
