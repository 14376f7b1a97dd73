import { splitNamespace } from '@replsim/protocol';
import type { FilterOptions } from '@replsim/query';
import { fillValue, hole, Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import { judgeIndex } from '../judging/judgeIndexes.ts';
import { expectsRefusal } from '../judging/judgeWords.ts';
import type { ClientAction, ReconfigAction, Target, Wants } from '../scenario.ts';
import type { ReadPreferenceInput } from '../schema/parts.ts';
import type { StepInputs } from '../schema/stepSchema.ts';
import { readWants } from './readChecks.ts';
import type { Reader } from './reader.ts';
import { readReadPreference } from './readReadPreference.ts';

/** Upstream: maxWriteBatchSize; drivers split what is longer. */
const MAX_WRITE_BATCH = 100_000;

type Fields = Readonly<Record<string, unknown>>;
type Build = { [Kind in keyof StepInputs]?: (reader: Reader, path: Path, input: StepInputs[Kind]) => ClientAction };

/** The steps that send one command to one member, or to each of several. */
export const clientSteps = {
  run: (reader, path, input) => {
    const command = withDb(reader.template([...path, 'command']), input.db ?? 'admin');
    if (!expectsRefusal(input)) judgeIndexesOf(reader, path, command);
    return client(reader, path, input, [command]);
  },
  insert: (reader, path, input) => {
    const [db, collection] = splitNamespace(input.into);
    const shared = reader.values(path, ['ordered', 'writeConcern']);
    const commands = insertBatches(reader, path, input).map((documents) =>
      withDb(new Template(new Map<string, unknown>([['insert', collection], ['documents', documents], ...shared])), db),
    );
    if (commands.length > 1 && input.as !== undefined)
      reader.source.mistakeAtPath(
        [...path, 'as'],
        `"as" sends one command; ${input.count} documents take ${commands.length}`,
      );
    return client(reader, path, input, commands, { retryable: true, implicitSession: true });
  },
  update: (reader, path, input) => {
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
  delete: (reader, path, input) => {
    const statement = new Map<string, unknown>([
      ['q', filterOf(reader, path, input)],
      ['limit', input.multi === true ? 0 : 1],
    ]);
    return client(reader, path, input, [writeCommand(reader, path, 'delete', input.from, 'deletes', statement)], {
      retryable: input.multi !== true,
      implicitSession: true,
    });
  },
  find: (reader, path, input) => {
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
  createIndex: (reader, path, input) => {
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
  commitTransaction: (reader, path, input) =>
    client(reader, path, input, [admin(new Map([['commitTransaction', 1]]))], { retryable: true }),
  abortTransaction: (reader, path, input) =>
    client(reader, path, input, [admin(new Map([['abortTransaction', 1]]))], { retryable: true }),
  collMod: (reader, path, input) => {
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
  setParameter: (reader, path, input) => {
    const parameters = reader.template([...path, 'parameters']).value;
    return client(reader, path, input, [admin(new Map<string, unknown>([['setParameter', 1], ...parameters]))]);
  },
  failPoint: (reader, path, input) => {
    const options = reader.values(path, ['mode', 'data']);
    return client(reader, path, input, [
      admin(new Map<string, unknown>([['configureFailPoint', input.name], ...options])),
    ]);
  },
  // Upstream: mongosh's rs.stepDown sends 60 seconds when none are given.
  stepDown: (reader, path, input) => {
    const options = isShort(input)
      ? new Map<string, unknown>()
      : reader.values(path, ['stepDownSecs', 'secondaryCatchUpPeriodSecs', 'force']);
    const command = new Map<string, unknown>([['replSetStepDown', options.get('stepDownSecs') ?? 60], ...options]);
    command.delete('stepDownSecs');
    return adminStep(reader, path, input, command);
  },
  stepUp: (reader, path, input) => adminStep(reader, path, input, new Map([['replSetStepUp', 1]])),
  freeze: (reader, path, input) => adminStep(reader, path, input, new Map([['replSetFreeze', input.seconds]])),
  initiate: (reader, path, input) => {
    const config = isShort(input) || input.config === undefined ? undefined : reader.value([...path, 'config']);
    const command = new Map<string, unknown>([['replSetInitiate', config ?? hole(({ firstConfig }) => firstConfig)]]);
    return adminStep(reader, path, input, command);
  },
} satisfies Build;

/** The steps that read the set's config, change it and send it back. */
export const reconfigSteps = {
  reconfig: (reader: Reader, path: Path, input: StepInputs['reconfig']): ReconfigAction =>
    reconfig(reader, path, input, { update: reader.template([...path, 'update']) }),
  addMember: (reader: Reader, path: Path, input: StepInputs['addMember']): ReconfigAction => {
    const { name, ...others } = input;
    const host = hostOf(reader, [...path, 'name'], name);
    const keys = Object.keys(others).filter((key) => !NOT_CONFIG.has(key));
    return reconfig(reader, path, input, { add: { host, fields: reader.values(path, keys) } });
  },
  removeMember: (reader: Reader, path: Path, input: StepInputs['removeMember']): ReconfigAction => {
    const name = typeof input === 'string' ? input : input.name;
    const host = hostOf(reader, typeof input === 'string' ? path : [...path, 'name'], name);
    return reconfig(reader, path, typeof input === 'string' ? {} : input, { remove: host });
  },
};
const NOT_CONFIG = new Set(['on', 'as', 'matches', 'error', 'took', 'force']);

/** A member's address in configs. */
function hostOf(reader: Reader, path: Path, name: string): string {
  return reader.members.get(reader.member(path, name)) ?? '';
}

interface ClientInput {
  readonly on?: string | readonly string[] | undefined;
  readonly as?: string | undefined;
  readonly matches?: unknown;
  readonly error?: string | number | undefined;
  readonly took?: unknown;
  readonly session?: string | undefined;
  readonly readPreference?: ReadPreferenceInput | undefined;
}

/**
 * A client step. One that says where to read, but not on which member, leaves the choice to the driver; one that says both is
 * sent to the member with the read preference beside it.
 */
function client(
  reader: Reader,
  path: Path,
  input: ClientInput,
  commands: readonly Template[],
  { retryable = false, reads = false, implicitSession = false } = {},
): ClientAction {
  const on = reader.target([...path, 'on'], input.on);
  const readPreference = readReadPreference(reader, [...path, 'readPreference'], input.readPreference);
  const document = readPreference && { ...readPreference };
  return {
    kind: 'client',
    on,
    commands: document ? commands.map((command) => withField(command, '$readPreference', document)) : commands,
    retryable,
    reads: reads && !document,
    ...(readPreference && input.on === undefined && { readPreference }),
    ...(input.session !== undefined && { session: input.session }),
    implicitSession,
    ...answer(reader, path, input, on),
  };
}

function withField(command: Template, name: string, value: unknown): Template {
  return new Template(new Map([...command.value, [name, value]]));
}

function reconfig(
  reader: Reader,
  path: Path,
  input: ClientInput & { force?: boolean | undefined },
  change: ReconfigAction['change'],
): ReconfigAction {
  const on = reader.target([...path, 'on'], input.on);
  return { kind: 'reconfig', on, change, force: input.force ?? false, ...answer(reader, path, input, on) };
}

function answer(reader: Reader, path: Path, input: ClientInput, on: Target): { wants: Wants; as: string | undefined } {
  const { source } = reader;
  if (input.as !== undefined) {
    const judged = ['matches', 'error', 'took', 'is'].find((key) => key in input);
    if (judged)
      source.mistakeAtKey(
        path,
        judged,
        `a step with "as" does not wait for its answer`,
        `look at it later: expect: { reply: ${input.as}, ${judged}: … }`,
      );
    if (on.length > 1 || on[0] === 'all' || on[0] === 'secondaries')
      source.mistakeAtPath([...path, 'on'], '"as" names one answer, and this goes to several members');
    reader.replies.add(input.as);
  }
  return { wants: readWants(reader, path, input), as: input.as };
}

function isShort(input: unknown): input is string | string[] {
  return typeof input === 'string' || Array.isArray(input);
}

/** `stepUp: n2` is short for `stepUp: { on: n2 }`. */
function adminStep(
  reader: Reader,
  path: Path,
  input: string | readonly string[] | ClientInput,
  command: Map<string, unknown>,
): ClientAction {
  if (!isShort(input)) return client(reader, path, input as ClientInput, [admin(command)]);
  return client(reader, path, { on: input }, [admin(command)]);
}

function admin(command: ReadonlyMap<string, unknown>): Template {
  return withDb(new Template(command), 'admin');
}

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

/** The documents of an insert, in batches that one command can carry. */
function insertBatches(reader: Reader, path: Path, input: StepInputs['insert']): unknown[] {
  const { source } = reader;
  const counted = input.count !== undefined || input.document !== undefined;
  if (counted === (input.documents !== undefined)) {
    source.mistakeAtPath(path, 'an insert has either "documents", or "count" and "document"');
    return [[]];
  }
  if (input.documents !== undefined) return [reader.value([...path, 'documents'])];
  if (input.document === undefined) {
    source.mistakeAtKey(path, 'count', '"count" needs "document", which it repeats');
    return [[]];
  }
  const document = reader.value([...path, 'document'], { counted: true });
  const total = input.count ?? 1;
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
