import type { Operation } from '@replsim/operations';
import {
  CommandError,
  decodeDocument,
  ElementCursor,
  encodeDocument,
  encodeName,
  type RunCommandReply,
  requiredField,
  splitNamespace,
} from '@replsim/protocol';
import type { InitialSyncAttempt } from './attempt.ts';
import { inStages } from './clonerStage.ts';
import { beginCollection } from './cloneStats.ts';
import { cloneCollection } from './collectionCloner.ts';
import { patientCall } from './patientCall.ts';

type Fields = Record<string, unknown>;

/** Copies every database but `local`, `admin` first. Upstream: all_database_cloner.cpp, database_cloner.cpp. */
export function* cloneAllDatabases(attempt: InitialSyncAttempt): Operation<void> {
  const { stats } = attempt;
  const list = ask(attempt, 'admin', { listDatabases: 1 });
  const stages = { cloner: 'AllDatabaseCloner', stages: ['connect', 'listDatabases'] } as const;
  const reply = yield* inStages(attempt.repl.core, stages, list);
  const { databases } = decodeDocument(reply) as { databases: { name: string; sizeOnDisk: unknown }[] };
  const copied = databases.filter(({ name }) => name !== 'local');
  copied.sort((a, b) => Number(b.name === 'admin') - Number(a.name === 'admin'));
  stats.databasesToClone = copied.length;
  stats.bytesToCome = copied.reduce((sum, { sizeOnDisk }) => sum + Number(sizeOnDisk), 0);
  for (const { name, sizeOnDisk } of copied) {
    stats.bytesToCome -= Number(sizeOnDisk);
    yield* cloneDatabase(attempt, name);
    stats.databasesToClone -= 1;
    stats.databasesCloned += 1;
  }
}

function* cloneDatabase(attempt: InitialSyncAttempt, db: string): Operation<void> {
  const { core } = attempt.repl;
  // Views, time series among them, come with the collections that they are kept in.
  // What the source's profiler kept is its own.
  const filter = { type: 'collection', name: { $ne: 'system.profile' } };
  const list = readAll(attempt, db, { listCollections: 1, filter });
  const infos = yield* inStages(core, { cloner: 'DatabaseCloner', stages: ['listCollections'], db }, list);
  const database = attempt.stats.beginDatabase(db, infos.length, core.now.wallMs);
  for (const info of infos) {
    const { name } = decodeDocument(info) as { name: string };
    const stats = beginCollection(database, `${db}.${name}`, core.now.wallMs);
    yield* cloneCollection(attempt, stats, info);
    stats.endWallMs = core.now.wallMs;
    database.clonedCollections += 1;
  }
  database.endWallMs = core.now.wallMs;
}

/** A command that answers with a cursor, read to its end. */
function* readAll(attempt: InitialSyncAttempt, db: string, command: Fields): Operation<Uint8Array[]> {
  const documents: Uint8Array[] = [];
  let reply = yield* ask(attempt, db, command);
  for (let field = 'firstBatch'; ; field = 'nextBatch') {
    const cursor = requiredField(reply, encodeName('cursor'));
    documents.push(...batchOf(cursor.bytes, cursor.offset, field));
    const { id, ns } = (decodeDocument(reply) as { cursor: { id: { toString(): string }; ns: string } }).cursor;
    if (id.toString() === '0') return documents;
    const [, collection] = splitNamespace(ns);
    reply = yield* ask(attempt, db, { getMore: BigInt(id.toString()), collection });
  }
}

/** A client's command to the source. Throws what it answers. */
function* ask(attempt: InitialSyncAttempt, db: string, command: Fields): Operation<Uint8Array> {
  const clone = encodeDocument({ ...command, $db: db, $readPreference: { mode: 'secondaryPreferred' } });
  const { reply } = yield* patientCall<RunCommandReply>(attempt, 'admin', { runCommand: clone });
  const { ok, code, errmsg } = decodeDocument(reply) as Fields;
  if (Number(ok) !== 1) throw new CommandError(Number(code), String(errmsg));
  return reply;
}

function batchOf(bytes: Uint8Array, cursorOffset: number, field: string): Uint8Array[] {
  const batch = requiredField(bytes, encodeName(field), cursorOffset);
  const documents: Uint8Array[] = [];
  const cursor = new ElementCursor(bytes, batch.offset);
  while (cursor.next()) documents.push(bytes.slice(cursor.offset, cursor.offset + cursor.size));
  return documents;
}
