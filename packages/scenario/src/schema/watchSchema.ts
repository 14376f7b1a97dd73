import { document, strict, target } from '@replsim/replset';
import * as z from 'zod';
import { databaseName, label, namespace } from './parts.ts';

/** A change stream in the background; which keys go together is said by `readWatch.ts`. */
export const watchSchema = strict('watch', {
  name: label.describe('What checks and "stop" call it'),
  on: target
    .optional()
    .describe('Where it is opened, and again when it is resumed: primary (without it), secondaries, n2 …'),
  in: namespace.optional().describe('The collection; this, or "db", or neither for the whole cluster'),
  db: databaseName.optional().describe('The database, with all of its collections'),
  pipeline: z
    .array(document, { error: 'expected a list of stages: [{ $match: … }]' })
    .optional()
    .describe('What is made of the events'),
  options: document.optional().describe('Of the stage: { fullDocument: updateLookup, resumeAfter: $token }'),
});
