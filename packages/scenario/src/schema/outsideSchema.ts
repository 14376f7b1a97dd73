import { document, either, flag, strict, text } from '@replsim/replset';
import { count, natural } from './parts.ts';

const connection = count
  .min(1, { error: 'connections count from 1' })
  .describe('Counts the connections of the run, from 1');

/** The steps that speak for clients outside, as recordings hold them. */
export const outsideShape = {
  connect: strict('connect', {
    connection,
    to: text.describe("A member's name"),
    remote: text.describe("The client's address and port"),
  }).describe('A client from outside connects'),
  send: strict('send', {
    connection: connection.optional(),
    to: text.optional().describe('Instead of a connection: a command without one, to this member'),
    exhaustAllowed: flag.optional().describe('The client takes further replies unasked'),
    moreToCome: flag.optional().describe('The client wants no reply'),
    command: either('a command, or its Extended JSON as text', [document, text])
      .optional()
      .describe('With $db; nothing in it stands for anything else'),
    bson: text.optional().describe('Instead of a command: its bytes in Base64'),
  }).describe('A client from outside sends a command'),
  awaitEnded: strict('awaitEnded', {
    connection,
    request: natural.describe('Which of those that were sent on this connection, from 1'),
  }).describe("A hello or getMore that waits for news has waited as long as its client's own clock allowed"),
  hangUp: connection.describe('The client closes this connection'),
} as const;
