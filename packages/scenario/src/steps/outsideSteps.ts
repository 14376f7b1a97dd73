import type { RecordedInput } from '@replsim/replset';
import { document, either, flag, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { bytesOf, fromBase64 } from '../file/extendedJson.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import { count, natural } from '../schema/parts.ts';
import { type OutsideAction, outsideStep } from './outsideStep.ts';
import { step } from './row.ts';

const connection = count
  .min(1, { error: 'connections count from 1' })
  .describe('Counts the connections of the run, from 1');

/** The steps that speak for clients outside, as recordings hold them. */
export const outsideSteps = {
  connect: {
    ...fromOutside(
      strict('connect', {
        connection,
        to: text.describe("A member's name"),
        remote: text.describe("The client's address and port"),
        rejected: flag.optional().describe('The member has too many connections and closes it at once'),
      }).describe('A client from outside connects'),
      (reader, path, { connection, to, remote, rejected }) => {
        if (reader.connections.has(connection))
          reader.source.mistakeAtPath([...path, 'connection'], `connection ${connection} has been opened before`);
        reader.connections.set(connection, 0);
        const member = reader.member([...path, 'to'], to);
        return [{ type: 'connect', connection, member, remote, ...(rejected && { rejected }) }];
      },
    ),
    once: true,
  },
  secured: fromOutside(
    strict('secured', {
      connection,
      protocol: text.optional().describe('TLSv1.2 or TLSv1.3; without it the connection is not secure'),
      cipher: text.optional().describe("As the member's log shows it"),
      subject: text.optional().describe("Of the client's certificate, in the form of RFC 2253"),
      certificate: z.enum(['missing', 'invalid']).optional().describe('Why there is no subject'),
    }).describe("A member's port and a client have agreed on how their connection is secured"),
    (reader, path, { connection, ...peer }) => {
      sentOn(reader, [...path, 'connection'], connection);
      return [{ type: 'secured', connection, peer }];
    },
  ),
  refused: fromOutside(
    strict('refused', {
      connection,
      code: natural.describe("The error's number"),
      errmsg: text.describe('What the log says of it'),
    }).describe("A member's port does not let a client in"),
    (reader, path, { connection, ...refusal }) => {
      sentOn(reader, [...path, 'connection'], connection);
      return [{ type: 'refused', connection, refusal }];
    },
  ),
  send: fromOutside(
    strict('send', {
      connection: connection.optional(),
      to: text.optional().describe('Instead of a connection: a command without one, to this member'),
      exhaustAllowed: flag.optional().describe('The client takes further replies unasked'),
      moreToCome: flag.optional().describe('The client wants no reply'),
      command: either('a command, or its Extended JSON as text', [document, text])
        .optional()
        .describe('The command, with $db. Placeholders are not replaced'),
      bson: text.optional().describe('Instead of a command: its bytes in Base64'),
    }).describe('A client from outside sends a command'),
    (reader, path, input) => {
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
  ),
  awaitEnded: fromOutside(
    strict('awaitEnded', {
      connection,
      request: natural.describe('Which of those that were sent on this connection, from 1'),
    }).describe("Ends the wait of a hello or getMore, after the time that the client's own clock allowed"),
    (reader, path, { connection, request }) => {
      const sent = sentOn(reader, [...path, 'connection'], connection);
      if (request > sent)
        reader.source.mistakeAtPath([...path, 'request'], `only ${sent} were sent on connection ${connection} before`);
      return [{ type: 'awaitEnded', connection, request }];
    },
  ),
  hangUp: fromOutside(connection.describe('The client closes this connection'), (reader, path, connection) => {
    sentOn(reader, path, connection);
    return [{ type: 'hangUp', connection }];
  }),
} as const;

/** Without `at` it happens at once. */
function fromOutside<Shape extends z.ZodType>(
  shape: Shape,
  outside: (reader: Reader, path: Path, input: z.infer<Shape>) => readonly RecordedInput[],
) {
  return step({
    ...outsideStep,
    shape,
    outside,
    read: (reader, path, input): OutsideAction => ({ kind: 'outside', inputs: outside(reader, path, input) }),
  });
}

interface SendInput {
  readonly command?: string | Record<string, unknown> | undefined;
  readonly bson?: string | undefined;
}

/** The command's bytes, of whichever form it has. */
function commandOf(reader: Reader, path: Path, { command, bson }: SendInput): Uint8Array {
  const { source } = reader;
  if ((command === undefined) === (bson === undefined)) {
    source.mistakeAtPath(path, 'what is sent is either a "command", or its bytes as "bson"');
    return EMPTY;
  }
  if (bson !== undefined) {
    const bytes = fromBase64(bson);
    if (bytes === undefined) source.mistakeAtPath([...path, 'bson'], 'this is not Base64');
    return bytes ?? EMPTY;
  }
  const at = [...path, 'command'];
  if (typeof command !== 'string') return reader.literal(at).encoded();
  try {
    return bytesOf(command);
  } catch (error) {
    source.mistakeAtPath(
      at,
      `this is not Extended JSON: ${(error as Error).message}`,
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
