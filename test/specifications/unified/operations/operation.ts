import type { Document } from 'mongodb';

/** What a kind of entity can be asked for: the arguments come as the format has them, but with entities for their names. */
export type Operations<Target> = Readonly<Record<string, (target: Target, args: Document) => unknown>>;

/** The driver runs the command of a cursor at the first document; the format wants it when the cursor is made. */
export async function begun<Cursor>(cursor: Cursor): Promise<Cursor> {
  // The driver's own tests do so too: `hasNext` would wait for a document where none is to come.
  await (cursor as { cursorInit(): Promise<void> }).cursorInit();
  return cursor;
}

/** The same for a change stream, which keeps its cursor to itself. */
export async function begunStream<Stream>(stream: Stream): Promise<Stream> {
  await begun((stream as { cursor: unknown }).cursor);
  return stream;
}
