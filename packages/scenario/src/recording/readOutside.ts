import { HOLDABLE_PARTS } from '@replsim/protocol';
import type { DiskFaultSettings, NetworkSettings, RecordedInput, StartOptions } from '@replsim/replset';
import { parametersOf } from '../parameters.ts';
import type { Reader } from '../reader.ts';
import { type OutsideAction, TARGET_WORDS } from '../scenario.ts';
import type { StepInput, StepInputs } from '../schema/stepSchema.ts';
import type { Path } from '../source.ts';
import { bytesOf, fromBase64 } from './extendedJson.ts';

type Readers = {
  [Kind in keyof StepInputs]?: (reader: Reader, path: Path, input: StepInputs[Kind]) => RecordedInput[];
};
type ReadInputs = (reader: Reader, path: Path, input: unknown) => RecordedInput[];

/** Reads a step with `at`: what came from outside at that instant; with nothing beside it, time just goes there. */
export function readAt(
  reader: Reader,
  path: Path,
  kind: keyof StepInputs | undefined,
  input: StepInput,
): OutsideAction {
  const { source } = reader;
  const atMicros = reader.span([...path, 'at'], input.at!);
  if (atMicros < reader.lastAtMicros)
    source.mistakeAtPath([...path, 'at'], 'a step before this one came later', 'write the steps in the order of time');
  reader.lastAtMicros = Math.max(reader.lastAtMicros, atMicros);
  if (kind === undefined) return { kind: 'outside', atMicros, inputs: [] };
  const read = READERS[kind] as ReadInputs | undefined;
  if (read) return { kind: 'outside', atMicros, inputs: read(reader, [...path, kind], input[kind]) };
  source.mistakeAtKey(
    path,
    kind,
    `"at" stands beside what comes from outside: clients and faults, not "${kind}"`,
    `write "- advance: { to: ${input.at} }" before it, and no "at"`,
  );
  return { kind: 'outside', atMicros, inputs: [] };
}

const clients = {
  connect: (reader, path, { connection, to, remote }) => {
    if (reader.connections.has(connection))
      reader.source.mistakeAtPath([...path, 'connection'], `connection ${connection} has been opened before`);
    reader.connections.set(connection, 0);
    return [{ type: 'connect', connection, member: reader.member([...path, 'to'], to), remote }];
  },
  send: (reader, path, input) => {
    const command = commandOf(reader, path, input);
    const { connection, to, exhaustAllowed, moreToCome } = input;
    if ((connection === undefined) === (to === undefined))
      reader.source.mistakeAtPath(path, 'a command is sent either on a "connection" or "to" a member');
    if (to !== undefined) return [{ type: 'command', member: reader.member([...path, 'to'], to), command }];
    if (connection === undefined) return [];
    const sent = sentOn(reader, [...path, 'connection'], connection);
    reader.connections.set(connection, sent + 1);
    const flags = { ...(exhaustAllowed && { exhaustAllowed }), ...(moreToCome && { moreToCome }) };
    return [{ type: 'send', connection, command, ...flags }];
  },
  awaitEnded: (reader, path, { connection, request }) => {
    const sent = sentOn(reader, [...path, 'connection'], connection);
    if (request > sent)
      reader.source.mistakeAtPath([...path, 'request'], `only ${sent} were sent on connection ${connection} before`);
    return [{ type: 'awaitEnded', connection, request }];
  },
  hangUp: (reader, path, connection) => {
    sentOn(reader, path, connection);
    return [{ type: 'hangUp', connection }];
  },
} satisfies Readers;

/** The steps of clients outside, as they stand without `at`: they happen at once. */
export const clientsOutside = {
  connect: (reader: Reader, path: Path, input: StepInputs['connect']) => now(clients.connect(reader, path, input)),
  send: (reader: Reader, path: Path, input: StepInputs['send']) => now(clients.send(reader, path, input)),
  awaitEnded: (reader: Reader, path: Path, input: StepInputs['awaitEnded']) =>
    now(clients.awaitEnded(reader, path, input)),
  hangUp: (reader: Reader, path: Path, input: StepInputs['hangUp']) => now(clients.hangUp(reader, path, input)),
};

function now(inputs: readonly RecordedInput[]): OutsideAction {
  return { kind: 'outside', inputs };
}

const READERS: Readers = {
  ...clients,
  kill: (reader, path, input) => each(reader, path, input, (member) => ({ type: 'kill', member })),
  shutdown: (reader, path, input) => each(reader, path, input, (member) => ({ type: 'shutdown', member })),
  pause: (reader, path, input) => each(reader, path, input, (member) => ({ type: 'pause', member })),
  resume: (reader, path, input) => each(reader, path, input, (member) => ({ type: 'resume', member })),
  start: (reader, path, input) => {
    if (typeof input === 'string' || Array.isArray(input))
      return each(reader, path, input, (member) => ({ type: 'start', member }));
    if (input.error !== undefined)
      reader.source.mistakeAtKey(path, 'error', 'a step with "at" expects nothing', 'leave "error" out');
    const options = startOptions(reader, path, input);
    return each(reader, [...path, 'member'], input.member, (member) => ({ type: 'start', member, options }));
  },
  hold: (reader, path, { on, part }) => each(reader, [...path, 'on'], on, (member) => ({ type: 'hold', member, part })),
  release: (reader, path, input) => {
    const isShort = typeof input === 'string' || Array.isArray(input);
    const parts = isShort || input.part === undefined ? HOLDABLE_PARTS : [input.part];
    const members = isShort ? names(reader, path, input) : names(reader, [...path, 'on'], input.on);
    return members.flatMap((member) => parts.map((part) => ({ type: 'release' as const, member, part })));
  },
  partition: (reader, path, sides) => [
    { type: 'partition', groups: sides.map((side, index) => names(reader, [...path, index], side)) },
  ],
  cut: (reader, path, input) => ways(reader, path, input, (from, to) => ({ type: 'cut', from, to })),
  disconnect: (reader, path, input) => ways(reader, path, input, (from, to) => ({ type: 'disconnect', from, to })),
  heal: (reader, path, input) => [{ type: 'heal', members: input === 'all' ? 'all' : names(reader, path, input) }],
  link: (reader, path, { from: _from, to: _to, ...settings }) =>
    ways(reader, path, { from: _from, to: _to }, (from, to) => ({
      type: 'link',
      from,
      to,
      settings: settings as NetworkSettings,
    })),
  clock: (reader, path, { on, jump, drift }) =>
    names(reader, [...path, 'on'], on).flatMap((member): RecordedInput[] => [
      ...(jump === undefined
        ? []
        : [{ type: 'jumpClock', member, byMs: reader.duration([...path, 'jump'], jump) / 1000 } as const]),
      ...(drift === undefined ? [] : [{ type: 'driftClock', member, ppm: drift } as const]),
    ]),
  disk: (reader, path, { on, ...settings }) =>
    each(reader, [...path, 'on'], on, (member) => ({ type: 'disk', member, settings: settings as DiskFaultSettings })),
};

function startOptions(
  reader: Reader,
  path: Path,
  input: Exclude<StepInputs['start'], string | string[]>,
): StartOptions {
  return {
    ...(input.as !== undefined && { as: input.as }),
    ...(input.parameters && { parameters: parametersOf(reader.literal([...path, 'parameters'])) }),
    ...(input.wipe && { wipe: true }),
    ...(input.queryableBackupMode && { queryableBackupMode: true }),
  };
}

/** The command's bytes, of whichever form it has. */
function commandOf(reader: Reader, path: Path, { command, bson }: StepInputs['send']): Uint8Array {
  const { source } = reader;
  if ((command === undefined) === (bson === undefined)) {
    source.mistakeAtPath(path, 'what is sent is either a "command", or its bytes as "bson"');
    return EMPTY;
  }
  if (bson !== undefined) {
    const bytes = fromBase64(bson);
    if (bytes === undefined) source.mistakeAtPath([...path, 'bson'], 'this is no Base64');
    return bytes ?? EMPTY;
  }
  const at = [...path, 'command'];
  if (typeof command !== 'string') return reader.literal(at).encoded();
  try {
    return bytesOf(command);
  } catch (error) {
    source.mistakeAtPath(
      at,
      `this is no Extended JSON: ${(error as Error).message}`,
      'a map without quotes is possible too',
    );
    return EMPTY;
  }
}

const EMPTY = new Uint8Array([5, 0, 0, 0, 0]);

/** How many requests were sent on a connection so far. */
function sentOn(reader: Reader, path: Path, connection: number): number {
  const sent = reader.connections.get(connection);
  if (sent !== undefined) return sent;
  const suggestion = `open it first: "- connect: { connection: ${connection}, to: n1, remote: "127.0.0.1:50000" }"`;
  reader.source.mistakeAtPath(path, `no connection ${connection} has been opened before this step`, suggestion);
  return Number.POSITIVE_INFINITY;
}

/** The members that a step with `at` names; who is primary only the run could tell. */
function names(reader: Reader, path: Path, given: string | readonly string[]): readonly string[] {
  const found = reader.target(path, given);
  const word = TARGET_WORDS.find((each) => found.includes(each) && !reader.members.has(each));
  if (word === 'all') return [...reader.members.keys()];
  if (word !== undefined)
    reader.source.mistakeAtPath(path, `a step with "at" names its members, and "${word}" is none`);
  return found;
}

function each(
  reader: Reader,
  path: Path,
  given: string | readonly string[],
  input: (member: string) => RecordedInput,
): RecordedInput[] {
  return names(reader, path, given).map(input);
}

function ways(
  reader: Reader,
  path: Path,
  ends: { from: string | readonly string[]; to: string | readonly string[] },
  input: (from: string, to: string) => RecordedInput,
): RecordedInput[] {
  const to = names(reader, [...path, 'to'], ends.to);
  return names(reader, [...path, 'from'], ends.from).flatMap((a) => to.filter((b) => b !== a).map((b) => input(a, b)));
}
