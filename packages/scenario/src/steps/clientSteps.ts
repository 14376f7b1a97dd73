import { RawBson, splitNamespace } from '@replsim/protocol';
import type { FilterOptions } from '@replsim/query';
import { document, flag, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { carriedDocuments, type DataFileInput, dataFile } from '../dataFile/carriedDocuments.ts';
import { fillValue, hole, Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import { judgeIndex } from '../judging/judgeIndexes.ts';
import { expectsRefusal } from '../judging/judgeWords.ts';
import type { Reader } from '../reading/reader.ts';
import {
  databaseName,
  filter,
  findShape,
  namespace,
  natural,
  readPreference,
  updateShape,
  value,
  withDefault,
} from '../schema/parts.ts';
import { client, clientShape, inOptions, readShape, sent, session, user, writeShape } from './clientCommand.ts';
import { step } from './row.ts';

/** Upstream: maxWriteBatchSize; drivers split what is longer. */
const MAX_WRITE_BATCH = 100_000;

/** The documents of a step are all in memory, before the members have them. */
const MAX_INSERTED = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;

const OF_INDEXES = inOptions([
  'expireAfterSeconds',
  'unique',
  'sparse',
  'name',
  'hidden',
  'partialFilterExpression',
  'collation',
]);

/** What people call a file of documents. */
const FILE = 'documents of a file are inserted by file: docs.jsonl';
const IN_FILES = { path: FILE, from: FILE, fixture: FILE };

/** The steps that send one command on data to one member, or to each of several. */
export const clientSteps = {
  run: step({
    shape: strict('run', {
      ...clientShape,
      session,
      user,
      readPreference: readPreference.optional().describe('Without "on", the member is chosen by it as a driver does'),
      db: withDefault(databaseName, 'admin', 'The database'),
      command: document.describe('The command, sent unchanged: { dbStats: 1 }'),
    }).describe('Sends any command'),
    takesSession: true,
    read: (reader, path, input) => {
      const command = withDb(reader.template([...path, 'command']), input.db ?? 'admin');
      if (!expectsRefusal(input)) judgeIndexesOf(reader, path, command);
      return client(reader, path, input, [command]);
    },
    perform: sent,
  }),
  insert: step({
    shape: strict(
      'insert',
      {
        ...writeShape,
        into: namespace.describe('The collection'),
        documents: z
          .array(document, { error: 'expected a list of documents: [{ field: value }]' })
          .min(1, { error: 'expected at least one document' })
          .optional()
          .describe('The documents to insert. Alternatively, give "document" and "count", or "file"'),
        file: dataFile.optional(),
        count: withDefault(
          natural.max(MAX_INSERTED, { error: `at most ${MAX_INSERTED} documents; repeat the step for more` }),
          1,
          'How many times to insert "document"; $i tells them apart',
        ),
        document: document.optional().describe('One document, inserted "count" times'),
        ordered: withDefault(flag, true, 'Stop at the first error'),
      },
      IN_FILES,
    ).describe('Inserts documents'),
    takesSession: true,
    read: (reader, path, input) => {
      const [db, collection] = splitNamespace(input.into);
      const shared = reader.values(path, ['ordered', 'writeConcern']);
      const commands = insertBatches(reader, path, input).map((documents) =>
        withDb(
          new Template(new Map<string, unknown>([['insert', collection], ['documents', documents], ...shared])),
          db,
        ),
      );
      if (commands.length > 1 && input.as !== undefined)
        reader.source.mistakeAtPath([...path, 'as'], `"as" sends one command; the documents take ${commands.length}`);
      return client(reader, path, input, commands, { retryable: true, implicitSession: true });
    },
    perform: sent,
  }),
  update: step({
    shape: strict('update', {
      ...writeShape,
      ...updateShape,
      arrayFilters: z
        .array(filter, { error: 'expected a list of filters: [{ field: value }]' })
        .optional()
        .describe('Which array elements $[name] in the update means'),
    }).describe('Updates documents'),
    takesSession: true,
    read: (reader, path, input) => {
      const statement = new Map<string, unknown>([
        ['q', filterOf(reader, path, input)],
        ['u', reader.value([...path, 'update'], { pipeline: Array.isArray(input.update) })],
      ]);
      if (!expectsRefusal(input) && input.arrayFilters === undefined)
        reader.update([...path, 'update'], statement.get('u'));
      for (const [key, value] of reader.values(path, ['multi', 'upsert', 'arrayFilters'])) statement.set(key, value);
      return client(reader, path, input, [writeCommand(reader, path, 'update', input.in, 'updates', statement)], {
        retryable: input.multi !== true,
        implicitSession: true,
      });
    },
    perform: sent,
  }),
  delete: step({
    shape: strict('delete', {
      ...writeShape,
      from: namespace.describe('The collection'),
      filter: withDefault(filter, {}, 'Which documents'),
      multi: withDefault(flag, false, 'Delete all documents that match, not only the first'),
    }).describe('Deletes documents'),
    takesSession: true,
    read: (reader, path, input) => {
      const statement = new Map<string, unknown>([
        ['q', filterOf(reader, path, input)],
        ['limit', input.multi === true ? 0 : 1],
      ]);
      return client(reader, path, input, [writeCommand(reader, path, 'delete', input.from, 'deletes', statement)], {
        retryable: input.multi !== true,
        implicitSession: true,
      });
    },
    perform: sent,
  }),
  find: step({
    shape: strict('find', {
      ...readShape,
      ...findShape,
      is: z
        .array(document, { error: 'expected a list of documents: [{ field: value }]' })
        .optional()
        .describe('The exact result (in this order if sort is given)'),
    }).describe('Reads documents'),
    takesSession: true,
    writesNothing: true,
    read: (reader, path, input) => {
      const [db, collection] = splitNamespace(input.in);
      const options = reader.values(path, ['filter', 'sort', 'projection', 'limit', 'skip', 'readConcern']);
      const command = new Map<string, unknown>([['find', collection], ...options]);
      filterOf(reader, path, input);
      if (input.is !== undefined) command.set('batchSize', MAX_WRITE_BATCH);
      const action = client(reader, path, input, [withDb(new Template(command), db)], {
        reads: input.readPreference === undefined,
        retryable: true,
        implicitSession: true,
      });
      if (input.is === undefined) return action;
      const list = new Template(new Map([['list', reader.value([...path, 'is'])]]));
      return { ...action, wants: { ...action.wants, documents: { list, ordered: input.sort !== undefined } } };
    },
    perform: sent,
  }),
  createIndex: step({
    shape: strict(
      'createIndex',
      {
        ...writeShape,
        in: namespace.describe('The collection'),
        keys: document.describe('{ lastSeen: 1 }'),
        options: document.optional().describe('{ expireAfterSeconds: 60 }, name, unique and others'),
        commitQuorum: withDefault(
          value,
          'votingMembers',
          'Which members must have built it before it is committed: a number, majority, a mode, votingMembers',
        ),
      },
      OF_INDEXES,
    ).describe('Builds an index'),
    read: (reader, path, input) => {
      const [db, collection] = splitNamespace(input.in);
      const key = reader.value([...path, 'keys']);
      const options = reader.has(path, 'options')
        ? reader.template([...path, 'options']).value
        : new Map<string, unknown>();
      const index = new Map<string, unknown>([['key', key], ['name', indexNameOf(key)], ...options]);
      if (!expectsRefusal(input))
        judgeIndex(reader, index, (part) =>
          part === '' || !options.has(part) ? [...path, 'keys'] : [...path, 'options', part],
        );
      const command = new Map<string, unknown>([
        ['createIndexes', collection],
        ['indexes', [index]],
        ...reader.values(path, ['commitQuorum', 'writeConcern']),
      ]);
      return client(reader, path, input, [withDb(new Template(command), db)]);
    },
    perform: sent,
  }),
  collMod: step({
    shape: strict('collMod', {
      ...writeShape,
      in: namespace.describe('The collection'),
      index: document.optional().describe('{ name: ttl, expireAfterSeconds: 60 }: which index, and what to change'),
      validator: filter.optional().describe('The filter that documents must match from now on'),
      validationLevel: text.optional().describe('off, strict or moderate'),
      validationAction: text.optional().describe('error or warn'),
      expireAfterSeconds: value.optional().describe('Of the collection itself, if it is clustered or a time series'),
      dryRun: withDefault(flag, false, 'Only check whether the change is possible'),
    }).describe('Changes a collection or one of its indexes'),
    read: (reader, path, input) => {
      const [db, collection] = splitNamespace(input.in);
      const keys = [
        'index',
        'validator',
        'validationLevel',
        'validationAction',
        'expireAfterSeconds',
        'dryRun',
        'writeConcern',
      ];
      return client(reader, path, input, [
        withDb(new Template(new Map<string, unknown>([['collMod', collection], ...reader.values(path, keys)])), db),
      ]);
    },
    perform: sent,
  }),
};

/** What only a member can judge is left to it: what is near, and what its text index finds. */
const ASKED: Pick<FilterOptions, 'allowsNear' | 'search'> = { allowsNear: true, search: () => () => true };

function filterOf(reader: Reader, path: Path, input: object): unknown {
  if (!reader.has(path, 'filter')) return new Map();
  const filter = reader.value([...path, 'filter']);
  if (filter instanceof Map && !expectsRefusal(input as Fields))
    reader.filter([...path, 'filter'], new Template(filter), ASKED);
  return filter;
}

/** Those of a createIndexes that is written as the command. */
function judgeIndexesOf(reader: Reader, path: Path, { value }: Template): void {
  const indexes = value.has('createIndexes') ? value.get('indexes') : undefined;
  if (!Array.isArray(indexes)) return;
  for (const [index, spec] of indexes.entries())
    judgeIndex(reader, spec, (part) => [...path, 'command', 'indexes', index, ...(part === '' ? [] : [part])]);
}

function writeCommand(
  reader: Reader,
  path: Path,
  name: string,
  namespace: string,
  field: string,
  statement: unknown,
): Template {
  const [db, collection] = splitNamespace(namespace);
  const command = new Map<string, unknown>([
    [name, collection],
    [field, [statement]],
    ...reader.values(path, ['writeConcern']),
  ]);
  return withDb(new Template(command), db);
}

interface InsertInput {
  readonly documents?: unknown;
  readonly document?: unknown;
  readonly count?: number | undefined;
  readonly file?: DataFileInput | undefined;
}

/** The documents of an insert, in batches that one command can carry. */
function insertBatches(reader: Reader, path: Path, input: InsertInput): unknown[] {
  const { source } = reader;
  const counted = input.count !== undefined || input.document !== undefined;
  if ([counted, input.documents !== undefined, input.file !== undefined].filter(Boolean).length !== 1) {
    source.mistakeAtPath(path, 'an insert has either "documents", or "count" and "document", or "file"');
    return [[]];
  }
  if (input.documents !== undefined) return [reader.value([...path, 'documents'])];
  if (input.file !== undefined)
    return batchesOf(carriedDocuments(source, [...path, 'file'], input.file).map((bytes) => new RawBson(bytes)));
  if (input.document === undefined) {
    source.mistakeAtKey(path, 'count', '"count" needs "document", which it repeats');
    return [[]];
  }
  return repeated(reader.value([...path, 'document'], { counted: true }), input.count ?? 1);
}

function batchesOf(documents: readonly unknown[]): unknown[] {
  const batches: unknown[] = [];
  for (let from = 0; from < documents.length; from += MAX_WRITE_BATCH)
    batches.push(documents.slice(from, from + MAX_WRITE_BATCH));
  return batches;
}

function repeated(document: unknown, total: number): unknown[] {
  const batches: unknown[] = [];
  for (let from = 0; from < total; from += MAX_WRITE_BATCH) {
    const size = Math.min(MAX_WRITE_BATCH, total - from);
    batches.push(
      hole((filling) =>
        Array.from({ length: size }, (_, index) => fillValue(document, { ...filling, i: from + index + 1 })),
      ),
    );
  }
  return batches;
}

/** Upstream: the name that drivers give an index: `a_1_b_-1`. */
function indexNameOf(key: unknown): string {
  return key instanceof Map ? [...key].map(([field, direction]) => `${field}_${String(direction)}`).join('_') : '';
}
