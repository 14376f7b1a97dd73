import { DEFAULT_DRIVER_OPTIONS } from '@replsim/driver';
import { splitNamespace, type WorkloadOperation } from '@replsim/protocol';
import { either } from '@replsim/replset';
import { ObjectId } from 'bson';
import * as z from 'zod';
import { fillValue, hole, Template, withDb } from '../file/placeholder.ts';
import { showPlain } from '../file/show.ts';
import type { Path } from '../file/source.ts';
import { concernIn } from '../judging/concerns.ts';
import { knownWorkload } from '../reading/known.ts';
import type { Reader } from '../reading/reader.ts';
import { readReadPreference } from '../reading/readReadPreference.ts';
import type { WorkloadAction } from '../scenario.ts';
import { label } from '../schema/parts.ts';
import { summing } from '../stage/sums.ts';
import { readReads } from './readReads.ts';
import { step } from './row.ts';
import { workloadSchema } from './workloadSchema.ts';

/** The keys that go with each. */
const OPERATIONS = {
  insert: ['writeConcern'],
  update: ['writeConcern'],
  find: ['readConcern', 'readPreference'],
  transfer: ['readConcern', 'writeConcern'],
  sum: ['readConcern', 'readPreference'],
  append: ['readConcern', 'writeConcern'],
} satisfies Readonly<Record<WorkloadOperation, readonly string[]>>;
const ALL_OPERATIONS = Object.keys(OPERATIONS) as WorkloadOperation[];
const SOMETIMES = ['writeConcern', 'readConcern', 'readPreference'] as const;
/** What transactions and sums read, if nobody says. */
const SNAPSHOT: ReadonlyMap<string, unknown> = new Map([['level', 'snapshot']]);

type WorkloadInput = z.infer<typeof workloadSchema>;

/** The steps that start and stop clients in the background. */
export const workloadSteps = {
  workload: step({
    shape: workloadSchema.describe('Starts a client beside the steps, which repeats one operation'),
    once: true,
    claimsNothing: true,
    read: (reader, path, input): WorkloadAction => {
      const { name, every, near, options } = input;
      if (reader.workloads.has(name) || reader.streams.has(name))
        reader.source.mistakeAtPath(
          [...path, 'name'],
          `${reader.streams.has(name) ? 'a stream' : 'a workload'} called "${name}" was started before`,
          'give it another name',
        );
      reader.workloads.add(name);
      const everyMicros = reader.span([...path, 'every'], every);
      if (everyMicros === 0)
        reader.source.mistakeAtPath([...path, 'every'], 'a turn takes some time', 'for example every: 100ms');
      const operation = operationOf(reader, path, input);
      if (input.append || input.reads) reader.histories.set(name, input.append ? 'transactions' : 'documents');
      const { heartbeatFrequencyMS } = options ?? {};
      const readPreference = readReadPreference(
        reader,
        [...path, 'readPreference'],
        input.readPreference,
        heartbeatFrequencyMS,
      );
      const side = isRead(operation) ? 'readConcern' : 'writeConcern';
      const concern = concernIn(side, input[side]);
      return {
        kind: 'workload',
        name,
        everyMicros,
        operation,
        ...commandOf(reader, path, input, operation),
        ...readReads(reader, path, input),
        ...(readPreference && { readPreference }),
        ...(near !== undefined && { near: reader.place([...path, 'near'], near) }),
        ...(concern !== undefined && { concern: showPlain(concern) }),
        options: { ...DEFAULT_DRIVER_OPTIONS, ...(options as object) },
      };
    },
    perform: (action, { workloads }) => {
      workloads.start(action);
      return undefined;
    },
  }),
  stop: step({
    shape: either('the name of a workload or a stream, a list of names, or all', [
      label,
      z.array(label).min(1, { error: 'expected at least one name' }),
    ]).describe(
      'Ends workloads and streams: one by its name, a list, or all; operations that workloads have under way are waited for',
    ),
    claimsNothing: true,
    read: (reader, path, given) => ({ kind: 'stop', names: namesToStop(reader, path, given) }),
    perform: async ({ names }, { streams, workloads }) => {
      for (const name of names) if (!streams.stop(name)) await workloads.stop(name);
      return undefined;
    },
  }),
};

/** Which workloads and streams are meant, of those that earlier steps started. */
function namesToStop(reader: Reader, path: Path, given: string | readonly string[]): readonly string[] {
  const started = [...reader.workloads, ...reader.streams];
  if (given === 'all' && !started.includes('all')) {
    if (started.length === 0)
      reader.source.mistakeAtPath(path, 'no earlier step started a workload or a stream', 'write it before this step');
    return started;
  }
  if (typeof given === 'string') return [knownClient(reader, path, given)];
  return given.map((name, index) => knownClient(reader, [...path, index], name));
}

function knownClient(reader: Reader, path: Path, name: string): string {
  if (!reader.streams.has(name)) knownWorkload(reader, path, name);
  return name;
}

function isRead(operation: WorkloadOperation): boolean {
  return operation === 'find' || operation === 'sum';
}

/** How a driver calls the limit on what it does: a transaction has one on its commit. */
function limitOf(operation: WorkloadOperation): 'maxTimeMS' | 'maxCommitTimeMS' {
  return operation === 'transfer' || operation === 'append' ? 'maxCommitTimeMS' : 'maxTimeMS';
}

/** The one operation of a workload; keys that do not belong to it are mistakes. */
function operationOf(reader: Reader, path: Path, input: WorkloadInput): WorkloadOperation {
  const { source } = reader;
  const [first, second] = ALL_OPERATIONS.filter((key) => key in input);
  if (first === undefined) {
    source.mistakeAtPath(
      path,
      'this workload does nothing',
      'insert: { into, document }, update, find, transfer, sum or append',
    );
    return 'insert';
  }
  if (second !== undefined)
    source.mistakeAtKey(path, second, `a workload does one thing, and this one has "${first}" already`);
  const allowed: readonly string[] = OPERATIONS[first];
  for (const key of SOMETIMES)
    if (key in input && !allowed.includes(key))
      source.mistakeAtKey(
        path,
        key,
        `"${key}" does not go with "${first}"`,
        allowed.length > 1 && first !== 'find'
          ? `it can be combined with ${allowed.join(', ')}`
          : `did you mean "${allowed[0]}"?`,
      );
  const limit = limitOf(first);
  for (const key of [limitOf('transfer'), limitOf('find')])
    if (key in input && key !== limit)
      source.mistakeAtKey(path, key, `"${key}" does not go with "${first}"`, `did you mean "${limit}"?`);
  return first;
}

function commandOf(
  reader: Reader,
  path: Path,
  input: WorkloadInput,
  operation: WorkloadOperation,
): Pick<WorkloadAction, 'ns' | 'place' | 'command' | 'retryable' | 'transfer' | 'total' | 'append'> {
  const shared = reader.values(path, [
    ...OPERATIONS[operation].filter((key) => key !== 'readPreference'),
    limitOf(operation),
  ]);
  const at = [...path, operation];
  const counted = { counted: true };
  const given = (key: string) => (reader.has(at, key) ? reader.value([...at, key], counted) : new Map());
  switch (operation) {
    case 'insert': {
      const document = given('document');
      const documents = [
        hole((filling) => withId(fillValue(document, filling) as ReadonlyMap<string, unknown>, filling)),
      ];
      return {
        ...inNamespace('insert', input.insert?.into ?? 'none.none', [['documents', documents], ...shared]),
        retryable: true,
      };
    }
    case 'update': {
      const { in: ns = 'none.none', update, multi, upsert } = input.update ?? {};
      const statement = new Map<string, unknown>([
        ['q', given('filter')],
        ['u', reader.value([...at, 'update'], { ...counted, pipeline: Array.isArray(update) })],
        ...(multi === undefined ? [] : [['multi', multi] as const]),
        ...(upsert === undefined ? [] : [['upsert', upsert] as const]),
      ]);
      return { ...inNamespace('update', ns, [['updates', [statement]], ...shared]), retryable: multi !== true };
    }
    case 'transfer':
    case 'append':
      return transactionOf(input, new Template(new Map<string, unknown>([['readConcern', SNAPSHOT], ...shared])));
    case 'sum': {
      const { in: ns = 'none.none', of = '', is: total = 0 } = input.sum ?? {};
      const read = [['pipeline', summing(of)], ['cursor', new Map()], ['readConcern', SNAPSHOT], ...shared] as const;
      return { ...inNamespace('aggregate', ns, read), retryable: true, total };
    }
    case 'find': {
      const keys = ['filter', 'sort', 'projection', 'limit', 'skip'].filter((key) => reader.has(at, key));
      const options = keys.map((key) => [key, given(key)] as const);
      return { ...inNamespace('find', input.find?.in ?? 'none.none', [...options, ...shared]), retryable: true };
    }
  }
}

/** What is done in the transactions of a workload. @param command how they are sent */
function transactionOf(
  { transfer, append }: WorkloadInput,
  command: Template,
): Pick<WorkloadAction, 'ns' | 'place' | 'command' | 'retryable' | 'transfer' | 'total' | 'append'> {
  const ns = transfer?.in ?? append?.in ?? 'none.none';
  const place = splitNamespace(ns);
  const [db, collection] = place;
  const base = { ns, place, command, retryable: false };
  if (!transfer) return { ...base, append: { db, collection, lists: append?.lists ?? 3 } };
  const { accounts, initial } = transfer;
  return { ...base, transfer: { db, collection, accounts, initial }, total: accounts * initial };
}

function inNamespace(
  name: string,
  ns: string,
  fields: readonly (readonly [string, unknown])[],
): { ns: string; place: readonly [string, string]; command: Template } {
  const [db, collection] = splitNamespace(ns);
  return {
    ns,
    place: [db, collection],
    command: withDb(new Template(new Map<string, unknown>([[name, collection], ...fields])), db),
  };
}

/** Drivers give a document its `_id`, so that sending it once more cannot make two of it. */
function withId(
  document: ReadonlyMap<string, unknown>,
  { random }: Parameters<typeof fillValue>[1],
): ReadonlyMap<string, unknown> {
  return document.has('_id') ? document : new Map([['_id', new ObjectId(random.bytes(12))], ...document]);
}
