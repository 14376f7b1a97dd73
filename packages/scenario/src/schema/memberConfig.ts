import { DEFAULT_MEMBER_CONFIG } from '@replsim/protocol';
import { either, flag } from '@replsim/replset';
import * as z from 'zod';
import { count, withDefault } from './parts.ts';

/** Fields of a config's member entry, as far as a user may set them. */
export const memberConfigShape = {
  priority: z
    .number({ error: 'expected a number' })
    .min(0, { error: 'priority is at least 0' })
    .max(1000, { error: 'priority is at most 1000' })
    .optional()
    .meta({
      description: 'Whom the set would rather have as primary; 0: never. An arbiter has 0',
      default: DEFAULT_MEMBER_CONFIG.priority,
    }),
  votes: withDefault(either('0 or 1', [z.literal(0), z.literal(1)]), DEFAULT_MEMBER_CONFIG.votes, 'Whether it votes'),
  hidden: withDefault(flag, DEFAULT_MEMBER_CONFIG.hidden, 'Clients do not find it'),
  arbiterOnly: withDefault(flag, DEFAULT_MEMBER_CONFIG.arbiterOnly, 'It votes and holds no data'),
  buildIndexes: withDefault(flag, DEFAULT_MEMBER_CONFIG.buildIndexes, 'Whether it has indexes besides _id'),
  secondaryDelaySecs: withDefault(
    count.max(31_622_400, { error: 'a delay is at most 366 days (31622400)' }),
    DEFAULT_MEMBER_CONFIG.secondaryDelaySecs,
    'It applies each entry so long after it was written. Unit: s',
  ),
  tags: z
    .record(z.string(), z.string({ error: 'a tag is text' }))
    .optional()
    .describe('{ dc: east }, for read preferences and write concern modes'),
};
