import { RawBson } from '@replsim/protocol';
import { InputError } from '../io.ts';
import type { Dump, DumpedCollection } from './dump.ts';

/** Sends a command to the primary. @returns the reply */
type AskPrimary = (command: object) => Promise<Record<string, unknown>>;

/** As many as mongorestore sends at once. Upstream: mongo-tools, mongorestore/options.go, BulkBufferSize. */
const BATCH_DOCUMENTS = 1000;
/** One document of the greatest size always fits besides. */
const BATCH_BYTES = 16_000_000;
const MAJORITY = { w: 'majority' };

/**
 * Creates the collections of a dump through the primary, fills them and builds their indexes, each acknowledged by a majority.
 * @param tell the progress: the collection, and how many of its documents are in
 * @throws InputError with the file of what is refused
 */
export async function loadDump(
  { collections }: Dump,
  ask: AskPrimary,
  tell: (progress: string) => void,
): Promise<string> {
  let documents = 0;
  let indexes = 0;
  for (const each of collections) {
    await load(each, ask, (done) => tell(`${each.db}.${each.name}: ${done} of ${each.documents.length} documents`));
    documents += each.documents.length;
    indexes += each.indexes.length;
  }
  return [
    counted(collections.length, 'collection', 'collections'),
    counted(documents, 'document', 'documents'),
    counted(indexes, 'index', 'indexes'),
  ].join(', ');
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

async function load(collection: DumpedCollection, ask: AskPrimary, tell: (done: number) => void): Promise<void> {
  const { db, name, file, options, indexes, documents } = collection;
  const send = async (what: string, command: ReadonlyMap<string, unknown>) =>
    refuse(file, what, await ask(Object.fromEntries([...command, ['writeConcern', MAJORITY], ['$db', db]])));
  if (options !== undefined) await send('the collection', new Map([['create', name], ...options]));
  tell(0);
  for (let from = 0; from < documents.length; ) {
    const batch = batchAt(documents, from);
    const what = `documents ${from + 1} to ${from + batch.length}`;
    await send(
      what,
      new Map<string, unknown>([
        ['insert', name],
        ['documents', batch.map((each) => new RawBson(each))],
      ]),
    );
    from += batch.length;
    tell(from);
  }
  if (indexes.length > 0)
    await send(
      'its indexes',
      new Map<string, unknown>([
        ['createIndexes', name],
        ['indexes', indexes],
      ]),
    );
}

function batchAt(documents: readonly Uint8Array[], from: number): readonly Uint8Array[] {
  let bytes = 0;
  let to = from;
  while (to < documents.length && to - from < BATCH_DOCUMENTS) {
    bytes += documents[to]!.length;
    if (to > from && bytes > BATCH_BYTES) break;
    to += 1;
  }
  return documents.slice(from, to);
}

/** @throws InputError with the primary's refusal */
function refuse(file: string, what: string, reply: Readonly<Record<string, unknown>>): void {
  const { ok, errmsg, writeErrors, writeConcernError } = reply;
  const [first] = (writeErrors ?? []) as readonly { readonly index: number; readonly errmsg: string }[];
  const late = writeConcernError as { readonly errmsg: string } | undefined;
  const said = ok === 1 ? (first?.errmsg ?? late?.errmsg) : String(errmsg);
  const which = first === undefined ? '' : ` (number ${first.index + 1} of them)`;
  if (said !== undefined) throw new InputError(`--load: ${file}: the primary refuses ${what}${which}: ${said}`);
}
