import { duration, either, strict, target, text } from '@replsim/replset';
import * as z from 'zod';
import { checkSchema } from './checkSchema.ts';
import { filter, namespace, withDefault } from './parts.ts';

const title = text.min(1, { error: 'expected a few words' });
const oneMember = text.describe("A member's name, or primary");

const answerSchema = either('primary, { state: n2 }, { term: n2 }, { count: … } or { holds: CHECK }', [
  z.literal('primary'),
  strict(
    'answer',
    {
      state: text.optional().describe("A member's name: the state that it says it is in, or DOWN"),
      term: oneMember.optional().describe("A member's name, or primary: the term that it says it is in"),
      count: strict('count', {
        in: namespace.describe('The collection'),
        on: withDefault(text, 'primary', "A member's name, or primary"),
        where: filter.optional().describe('Which documents; without it, all'),
      })
        .optional()
        .describe('How many documents a collection has there'),
      holds: checkSchema.optional().describe('Whether this check holds: yes or no'),
    },
    { primary: 'write answer: primary' },
  ),
]).describe('What is looked at for the answer; nobody writes it down');

/** The steps that speak to whom a scenario teaches. */
export const lessonShape = {
  act: title.describe('Begins a chapter; the transcript has its title, pictures begin a page'),
  ask: strict(
    'ask',
    {
      question: title.describe('What is asked'),
      answer: answerSchema,
      in: duration.optional().describe('So long after the question the answer is looked at; without it, at once'),
      choices: z
        .array(either('a word or a number', [z.string(), z.number()]), { error: 'expected a list: [0, 5, 25]' })
        .min(2, { error: 'a choice is one of two at least' })
        .optional()
        .describe('Possible answers; without them all members and nobody, the states of a member, or yes and no'),
    },
    { expect: 'a check stands in answer: { holds: … }' },
  ).describe('Asks something of who reads; the run answers, and takes no notice of it'),
  focus: target.describe(
    'Where to look from now on: members, or set, oplog, time, story, data, ttl. Of the page alone',
  ),
} as const;
