import { encodeName, findField, type OplogEntry, type OplogOperation } from '@replsim/protocol';

const KEPT_IDS = 100;
const DOCUMENT_ID = encodeName('_id');
/** Where the value of an `_id` stands in a document that has no more: behind length, type and name. */
const ID_OFFSET = 4 + 1 + DOCUMENT_ID.length + 1;

/** The `_id` of each document that was written, as a document `{ _id }`; the first 100. */
export function idsOf(entries: readonly OplogEntry[]): readonly Uint8Array[] {
  const ids: Uint8Array[] = [];
  for (const { operations } of entries)
    for (const operation of operations) {
      if (ids.length >= KEPT_IDS) return ids;
      const id = idOf(operation);
      if (id) ids.push(id);
    }
  return ids;
}

function idOf({ op, o, o2, document }: OplogOperation): Uint8Array | undefined {
  if (op !== 'i' && op !== 'u' && op !== 'd') return undefined;
  const source = op === 'u' ? o2 : op === 'd' ? (document?.bytes ?? o) : o;
  const id = source && findField(source, DOCUMENT_ID);
  if (!id) return undefined;
  const bytes = new Uint8Array(ID_OFFSET + id.size + 1);
  new DataView(bytes.buffer).setInt32(0, bytes.length, true);
  bytes[4] = id.type;
  bytes.set(DOCUMENT_ID, 5);
  bytes.set(id.bytes.subarray(id.offset, id.offset + id.size), ID_OFFSET);
  return bytes;
}
