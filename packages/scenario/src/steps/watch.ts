import { splitNamespace } from '@replsim/protocol';
import { document, strict, target } from '@replsim/replset';
import * as z from 'zod';
import type { WatchAction } from '../scenario.ts';
import { databaseName, label, namespace } from '../schema/parts.ts';
import { step } from './row.ts';

/** The step that opens a change stream. */
export const watchStep = step({
  shape: strict('watch', {
    name: label.describe('Its name, for checks and for "stop"'),
    on: target
      .optional()
      .describe('The member on which it is opened, and again when it resumes: secondaries, n2 … Default: primary'),
    in: namespace.optional().describe('The collection. Give this, or "db", or neither for the whole cluster'),
    db: databaseName.optional().describe('The database, with all of its collections'),
    pipeline: z
      .array(document, { error: 'expected a list of stages: [{ $match: … }]' })
      .optional()
      .describe('Further stages that process the events'),
    options: document
      .optional()
      .describe('Options of $changeStream: { fullDocument: updateLookup, resumeAfter: $token }'),
  }).describe('Opens a change stream that runs alongside the steps and resumes on another member as drivers do'),
  once: true,
  claimsNothing: true,
  read: (reader, path, input): WatchAction => {
    const { name } = input;
    if (reader.streams.has(name) || reader.workloads.has(name))
      reader.source.mistakeAtPath([...path, 'name'], `"${name}" is called something already`, 'give it another name');
    reader.streams.add(name);
    if (input.in !== undefined && input.db !== undefined)
      reader.source.mistakeAtKey(path, 'db', 'a stream is on a collection or on a database', 'leave "in" or "db" out');
    const on = reader.target([...path, 'on'], input.on);
    const [db, collection] = input.in === undefined ? [input.db ?? 'admin', 1] : splitNamespace(input.in);
    const options = reader.has(path, 'options')
      ? reader.template([...path, 'options']).value
      : new Map<string, unknown>();
    const cluster = input.in === undefined && input.db === undefined ? [['allChangesForCluster', true] as const] : [];
    const pipeline = reader.has(path, 'pipeline') ? reader.value([...path, 'pipeline'], { pipeline: true }) : [];
    const ns = input.in ?? input.db ?? 'the cluster';
    return { kind: 'watch', name, on, ns, db, collection, options: new Map([...cluster, ...options]), pipeline };
  },
  perform: (action, { streams }, step) => {
    streams.open(step, action);
    return undefined;
  },
});
