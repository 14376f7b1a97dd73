import { didYouMeanOneOf } from '@replsim/kernel';
import { MemberStates } from '@replsim/protocol';
import { duration, either, strict, target, text } from '@replsim/replset';
import * as z from 'zod';
import { readCheck } from '../checks/readCheck.ts';
import { checkSchema } from '../checks/table.ts';
import type { Path, Source } from '../file/source.ts';
import { countCommand } from '../reading/commands.ts';
import { flowText } from '../reading/flowText.ts';
import type { Reader } from '../reading/reader.ts';
import type { Answer, Check } from '../scenario.ts';
import { filter, namespace, withDefault } from '../schema/parts.ts';
import { findAnswer, NOBODY } from './findings.ts';
import type { AskAction } from './questions.ts';
import { step } from './row.ts';

/** What may be looked at besides members. */
const PARTS = ['set', 'oplog', 'time', 'story', 'data', 'ttl'];
const YES_OR_NO = ['yes', 'no'];
/** Those that a member is in for more than a moment, and that somebody could take another for. */
const LIKELY_STATES = ['PRIMARY', 'SECONDARY', 'RECOVERING', 'ROLLBACK', 'STARTUP2', 'DOWN'];
const ANY_STATE = [...Object.keys(MemberStates), 'DOWN'];

const title = text.min(1, { error: 'expected a few words' });
const oneMember = text.describe("A member's name, or primary");

const answerSchema = either('primary, { state: n2 }, { term: n2 }, { count: … } or { holds: CHECK }', [
  z.literal('primary'),
  strict(
    'answer',
    {
      state: text.optional().describe("A member's name. The answer is the state that it reports, or DOWN"),
      term: oneMember.optional().describe("A member's name, or primary. The answer is the term that it reports"),
      count: strict('count', {
        in: namespace.describe('The collection'),
        on: withDefault(text, 'primary', "A member's name, or primary"),
        where: filter.optional().describe('Which documents; without it, all'),
      })
        .optional()
        .describe('The answer is how many documents a collection has there'),
      holds: checkSchema.optional().describe('The answer is whether this check holds, yes or no'),
    },
    { primary: 'write answer: primary' },
  ),
]).describe('Where the run finds the answer. The file does not contain it');

type AnswerInput = z.infer<typeof answerSchema>;
type FormInput = Exclude<AnswerInput, 'primary'>;

/** The steps that speak to whom a scenario teaches. */
export const lessonSteps = {
  act: step({
    shape: title.describe('Begins a chapter; the transcript has its title, pictures begin a page'),
    tellsItself: true,
    once: true,
    claimsNothing: true,
    read: (_reader, _path, title) => ({ kind: 'act', title: title.trim() }),
    perform: ({ title }, { set }) => {
      set.record({ type: 'act', title });
      return undefined;
    },
  }),
  ask: step({
    shape: strict(
      'ask',
      {
        question: title.describe('The question'),
        answer: answerSchema,
        in: duration.optional().describe('How long after the question the run supplies the answer. Default: at once'),
        choices: z
          .array(either('a word or a number', [z.string(), z.number()]), { error: 'expected a list: [0, 5, 25]' })
          .min(2, { error: 'give at least two choices' })
          .optional()
          .describe('Possible answers. Default: all members and nobody, the states of a member, or yes and no'),
      },
      { expect: 'write a check as answer: { holds: … }' },
    ).describe('A question for the reader. The run supplies the answer and is not affected'),
    tellsItself: true,
    claimsNothing: true,
    writesNothing: true,
    read: (reader, path, input): AskAction => {
      const answer = readAnswer(reader, [...path, 'answer'], input.answer);
      return {
        kind: 'ask',
        ...(answer.look.kind === 'holds' && { asked: answer.look.check }),
        question: input.question.trim(),
        answer,
        choices: readChoices(reader, path, answer, input.choices),
        inMicros: input.in === undefined ? 0 : reader.span([...path, 'in'], input.in),
      };
    },
    perform: (action, { set, members, fillings, questions, checksWith }, step) => {
      const aside = fillings.aside();
      const checks = checksWith(aside);
      questions.ask(step, action, (look) => findAnswer(look, { set, members, fillings: aside, checks }));
      return undefined;
    },
  }),
  focus: step({
    shape: target.describe(
      'Where to look from now on: members, or set, oplog, time, story, data, ttl. Only the page uses it',
    ),
    tellsItself: true,
    claimsNothing: true,
    writesNothing: true,
    read: (reader, path, input) => {
      const on = typeof input === 'string' ? [input] : input;
      for (const [index, word] of on.entries())
        mustBe(reader, typeof input === 'string' ? path : [...path, index], word, PARTS, 'member or part of the page');
      return { kind: 'focus', on };
    },
    perform: ({ on }, { set }) => {
      set.record({ type: 'focused', on });
      return undefined;
    },
  }),
};

function readAnswer(reader: Reader, path: Path, input: AnswerInput): Answer {
  if (input === 'primary') return PRIMARY;
  const [form, second] = Object.keys(input) as (keyof FormInput)[];
  if (form === undefined || second !== undefined)
    reader.source.mistakeAtPath(
      path,
      form === undefined ? 'this answer is empty' : `an answer is one thing, and this one is "${form}" already`,
      'primary, or one of state, term, count and holds',
    );
  return form === undefined ? PRIMARY : formReaders[form](reader, [...path, form], input);
}

const PRIMARY: Answer = { form: 'primary', look: { kind: 'primary' } };

const formReaders: Record<keyof FormInput, (reader: Reader, path: Path, input: FormInput) => Answer> = {
  state: (reader, path, { state = '' }) => {
    reader.member(path, state);
    return { form: { state }, look: { kind: 'state', on: state } };
  },
  term: (reader, path, { term = '' }) => {
    mustBe(reader, path, term, ['primary']);
    return { form: { term }, look: { kind: 'term', on: term } };
  },
  count: (reader, path, { count }) => {
    const { in: ns = '', on = 'primary' } = count ?? {};
    mustBe(reader, [...path, 'on'], on, ['primary']);
    const { source } = reader;
    if (count?.where !== undefined) reader.filter([...path, 'where']);
    const where = count?.where && `{${flowText(source, source.nodeAt([...path, 'where']))}}`;
    const command = countCommand(reader, path, ns, 'where');
    return { form: { count: { in: ns, on, ...(where && { where }) } }, look: { kind: 'count', on, command } };
  },
  holds: (reader, path, { holds = {} }) => {
    const check = readCheck(reader, path, holds);
    mustOnlyLook(reader.source, path, check);
    return { form: { holds: check.text }, look: { kind: 'holds', check } };
  },
};

/** Commands that leave a member as it was. */
// biome-ignore format: a list
const LOOKS = ['aggregate', 'buildInfo', 'collStats', 'connectionStatus', 'count', 'currentOp', 'dbHash', 'dbStats', 'distinct', 'explain',
  'find', 'getCmdLineOpts', 'getLog', 'getParameter', 'hello', 'isMaster', 'listCollections', 'listDatabases', 'listIndexes', 'ping',
  'replSetGetConfig', 'replSetGetRBID', 'replSetGetStatus', 'replsimRollbackFiles', 'serverStatus', 'validate'];

/** A run with a question must be the run without it; a check may do something, and that is its author's business. */
function mustOnlyLook(source: Source, path: Path, { parts }: Check): void {
  for (const { kind, command, check } of parts) {
    const name = command?.value.keys().next().value;
    if (name !== undefined && !LOOKS.includes(name))
      source.mistakeAtPath(
        [...path, kind, name],
        `a question must not change anything, and "${name}" may do something`,
        `do it in a step: "- run: { as: NAME, … }", and ask for { reply: NAME }`,
      );
    if (check) mustOnlyLook(source, [...path, kind], check);
  }
}

/** One member has one answer; zones and words that may mean several do not. */
function mustBe(
  { source, members }: Reader,
  path: Path,
  name: string,
  or: readonly string[],
  what = 'single member',
): void {
  if (members.has(name) || or.includes(name)) return;
  source.mistakeAtPath(path, `"${name}" is no ${what}`, didYouMeanOneOf(name, [...members.keys(), ...or]));
}

/** What can be chosen from; a choice that can never be right is a mistake. */
function readChoices(
  { source, members }: Reader,
  path: Path,
  { look: { kind } }: Answer,
  given: readonly (string | number)[] | undefined,
): readonly (string | number)[] {
  const at = [...path, 'choices'];
  const isNumber = kind === 'term' || kind === 'count';
  if (given === undefined) {
    if (isNumber)
      source.mistakeAtPath(
        [...path, 'answer'],
        `the choices for this number are missing`,
        'for example choices: [0, 5, 25]',
      );
    return kind === 'primary' ? [...members.keys(), NOBODY] : kind === 'state' ? LIKELY_STATES : YES_OR_NO;
  }
  if (kind === 'holds') source.mistakeAtPath(at, 'whether a check holds is yes or no', 'leave out "choices"');
  const known = kind === 'primary' ? [...members.keys(), NOBODY] : ANY_STATE;
  for (const [index, choice] of given.entries()) {
    if (given.indexOf(choice) < index) source.mistakeAtPath([...at, index], `${choice} can be chosen already`);
    if (isNumber && typeof choice !== 'number') source.mistakeAtPath([...at, index], 'the answer is a number');
    if ((kind === 'primary' || kind === 'state') && !known.includes(String(choice)))
      source.mistakeAtPath(
        [...at, index],
        `"${choice}" is no ${kind === 'primary' ? 'member' : 'state'}`,
        didYouMeanOneOf(String(choice), known),
      );
  }
  return given;
}
