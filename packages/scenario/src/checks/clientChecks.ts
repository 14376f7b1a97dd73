import { didYouMeanOneOf } from '@replsim/kernel';
import * as z from 'zod';
import { knownStream } from '../reading/known.ts';
import { readWants } from '../reading/readWants.ts';
import type { StreamPart } from '../scenario.ts';
import { filter, label } from '../schema/parts.ts';
import { complaintAbout } from '../stage/answers.ts';
import { errorKey, matchesKey } from './beside.ts';
import { ledgerCheck } from './ledgerCheck.ts';
import { check } from './row.ts';

/** What clients have found out. */
export const clientChecks = {
  reply: check({
    shape: label.describe('A step that was sent with "as"'),
    beside: { matches: matchesKey, error: errorKey },
    read: (reader, path, name, wants) => {
      if (!reader.replies.has(name))
        reader.source.mistakeAtPath(
          [...path, 'reply'],
          `no earlier step was sent "as: ${name}"`,
          didYouMeanOneOf(name, [...reader.replies]) ?? `send one so: "- run: { as: ${name}, … }"`,
        );
      return { kind: 'reply', name, wants: readWants(reader, path, wants) };
    },
    judge: ({ name, wants }, { replies, fillings }) => {
      const pending = replies.get(name);
      if (pending?.reply === undefined) return { asked: `an answer to ${name}`, got: 'there is none yet' };
      if (!wants.matches && !wants.error) return undefined;
      const refusal = complaintAbout(pending.reply, wants, fillings.for(pending.member));
      return refusal && { ...refusal, asked: `${name}: ${refusal.asked}` };
    },
  }),
  ...ledgerCheck,
  stream: check({
    shape: label.describe('The events that a stream has shown so far'),
    beside: {
      events: z
        .array(filter, { error: 'expected a list of filters: [{ operationType: insert }]' })
        .optional()
        .describe('As many events, and each matches its filter, in order'),
      error: errorKey,
    },
    read: (reader, path, name, { events, error }): StreamPart => {
      knownStream(reader, [...path, 'stream'], name);
      if (events === undefined && error === undefined)
        reader.source.mistakeAtKey(
          path,
          'stream',
          '"stream" needs "events"',
          'write events: [{ operationType: insert }]',
        );
      return {
        kind: 'stream',
        name,
        ...(error !== undefined && { endOf: name }),
        events: events?.map((_, index) => reader.filter([...path, 'events', index])),
        error: error === undefined ? undefined : reader.wantedError([...path, 'error'], error),
      };
    },
    judge: (part, { streams }) => streams.refusal(part),
  }),
};
