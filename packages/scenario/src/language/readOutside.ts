import { formatDuration } from '@replsim/kernel';
import type { RecordedInput } from '@replsim/replset';
import { bytesOf, fromBase64 } from '../file/extendedJson.ts';
import type { Path } from '../file/source.ts';
import type { OutsideAction } from '../scenario.ts';
import type { StepInput, StepInputs } from '../schema/stepSchema.ts';
import type { Reader } from './reader.ts';
import { isInstant, readFaultAt } from './readFault.ts';

type Readers = {
  [Kind in keyof StepInputs]?: (reader: Reader, path: Path, input: StepInputs[Kind]) => RecordedInput[];
};
type ReadInputs = (reader: Reader, path: Path, input: unknown) => RecordedInput[];

/** Reads a step with `at`: what came from outside at that instant; with nothing beside it, time just goes there. */
export function readAt(
  reader: Reader,
  path: Path,
  at: string,
  kind: keyof StepInputs | undefined,
  input: StepInput,
): OutsideAction {
  const { source } = reader;
  const atMicros = reader.span([...path, 'at'], at);
  if (atMicros < reader.earliestMicros)
    source.mistakeAtPath(
      [...path, 'at'],
      `"at" counts from time zero, and the steps before this one last until ${formatDuration(reader.earliestMicros)} at least`,
      'write the steps in the order of time',
    );
  reader.earliestMicros = Math.max(reader.earliestMicros, atMicros);
  if (kind === undefined) return { kind: 'outside', atMicros, inputs: [] };
  const inputs = readInputs(reader, [...path, kind], kind, input);
  if (inputs) return { kind: 'outside', atMicros, inputs };
  source.mistakeAtKey(
    path,
    kind,
    `"at" stands beside what comes from outside: clients and faults, not "${kind}"`,
    `write "- advance: { to: ${at} }" before it, and no "at"`,
  );
  return { kind: 'outside', atMicros, inputs: [] };
}

/** Undefined for what does not come from outside. */
function readInputs(
  reader: Reader,
  path: Path,
  kind: keyof StepInputs,
  input: StepInput,
): readonly RecordedInput[] | undefined {
  if (isInstant(kind)) return readFaultAt(reader, path, kind, input[kind]);
  const read = (clients as Readers)[kind] as ReadInputs | undefined;
  return read?.(reader, path, input[kind]);
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
