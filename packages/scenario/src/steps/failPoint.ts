import { FAIL_POINTS } from '@replsim/protocol';
import { chance, document, either, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { optionCount } from '../schema/parts.ts';
import { admin, asked, client, clientShape, sent } from './clientCommand.ts';
import { step } from './row.ts';

/** The step that sets one of mongod's own faults. */
export const failPointStep = step({
  shape: strict('failPoint', {
    ...clientShape,
    on: asked,
    name: either('the name of a fail point', [z.enum(FAIL_POINTS), text]).describe("mongod's name for it"),
    mode: either('off, alwaysOn, { times: N } or { skip: N }', [
      z.enum(['off', 'alwaysOn']),
      strict('mode', { times: optionCount.describe('This many times') }),
      strict('mode', { skip: optionCount.describe('Every time except the first few, this many') }),
      strict('mode', { activationProbability: chance.describe('Each time with this probability') }),
    ]).describe('When it acts'),
    data: document.optional().describe('Its arguments: { errorCode: 189, failCommands: [insert] }'),
  }).describe("Sets one of mongod's fail points"),
  read: (reader, path, input) => {
    const options = reader.values(path, ['mode', 'data']);
    return client(reader, path, input, [
      admin(new Map<string, unknown>([['configureFailPoint', input.name], ...options])),
    ]);
  },
  perform: sent,
});
