import { BsonType, decodePromoted, ElementCursor, encodeName, findField } from '@replsim/protocol';
import type { Ask } from './glance.ts';

/** The documents of a first batch, each with bytes of its own. */
export function batchOf(reply: Uint8Array): Uint8Array[] {
  const cursor = findField(reply, encodeName('cursor'));
  const batch = cursor && findField(reply, encodeName('firstBatch'), cursor.offset);
  if (!batch) return [];
  const elements = new ElementCursor(reply, batch.offset);
  const documents: Uint8Array[] = [];
  while (elements.next())
    if (elements.type === BsonType.object)
      documents.push(reply.slice(elements.offset, elements.offset + elements.size));
  return documents;
}

/** What a `count` came to. */
export function countOf(reply: ReturnType<Ask>): number {
  return reply.ok ? decodePromoted(reply.bytes).n : 0;
}

/** The namespaces of a member's collections, but for `local`; or why it names none. */
export function collectionsOf(ask: Ask): string[] | { readonly silence: string } {
  const databases = ask('admin', { listDatabases: 1, nameOnly: true });
  if (!databases.ok) return databases;
  const names: readonly { readonly name: string }[] = decodePromoted(databases.bytes).databases;
  return names
    .filter(({ name }) => name !== 'local')
    .flatMap(({ name: db }) => {
      const collections = ask(db, { listCollections: 1, filter: { type: 'collection' }, nameOnly: true });
      return collections.ok ? batchOf(collections.bytes).map((each) => `${db}.${decodePromoted(each).name}`) : [];
    });
}
