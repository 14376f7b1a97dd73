import { didYouMeanOneOf } from '@replsim/kernel';
import { MemberStates } from '@replsim/protocol';
import type { Path, Source } from '../file/source.ts';
import type { Action, Answer } from '../scenario.ts';
import type { CheckInput } from '../schema/checkSchema.ts';
import type { ScenarioInput } from '../schema/schema.ts';
import type { StepInputs } from '../schema/stepSchema.ts';
import { flowText } from './flowText.ts';
import { countCommand, readCheck } from './readChecks.ts';
import type { Reader } from './reader.ts';

/** What may be looked at besides members. */
const PARTS = ['set', 'oplog', 'time', 'story', 'data', 'ttl'];
/** Who is primary where nobody is. */
export const NOBODY = 'nobody';
const YES_OR_NO = ['yes', 'no'];
/** Those that a member is in for more than a moment, and that somebody could take another for. */
const LIKELY_STATES = ['PRIMARY', 'SECONDARY', 'RECOVERING', 'ROLLBACK', 'STARTUP2', 'DOWN'];
const ANY_STATE = [...Object.keys(MemberStates), 'DOWN'];

type AskInput = StepInputs['ask'];
type FormInput = Exclude<AskInput['answer'], 'primary'>;

/** Whether pictures fold away what comes before the first act, which there must be. */
export function readHide(source: Source, { hide, steps }: Pick<ScenarioInput, 'hide' | 'steps'>): boolean {
  const acts = Array.isArray(steps) && steps.some((step) => step?.act !== undefined);
  if (hide !== undefined && !acts)
    source.mistakeAtPath(
      ['hide'],
      'no act begins after which there is something to see',
      'add "- act: TITLE", or leave "hide" out',
    );
  return hide !== undefined;
}

/** The steps that speak to whom a scenario teaches. */
export const lessonSteps = {
  act: (_reader: Reader, _path: Path, title: string): Action => ({ kind: 'act', title: title.trim() }),
  ask: (reader: Reader, path: Path, input: AskInput): Action => {
    const answer = readAnswer(reader, [...path, 'answer'], input.answer);
    return {
      kind: 'ask',
      question: input.question.trim(),
      answer,
      choices: readChoices(reader, path, answer, input.choices),
      inMicros: input.in === undefined ? 0 : reader.span([...path, 'in'], input.in),
    };
  },
  focus: (reader: Reader, path: Path, input: StepInputs['focus']): Action => {
    const on = typeof input === 'string' ? [input] : input;
    for (const [index, word] of on.entries())
      mustBe(reader, typeof input === 'string' ? path : [...path, index], word, PARTS, 'member or part of the page');
    return { kind: 'focus', on };
  },
};

function readAnswer(reader: Reader, path: Path, input: AskInput['answer']): Answer {
  if (input === 'primary') return PRIMARY;
  const [form, second] = Object.keys(input) as (keyof FormInput)[];
  if (form === undefined || second !== undefined)
    reader.source.mistakeAtPath(
      path,
      form === undefined ? 'this answer looks at nothing' : `an answer is one thing, and this one is "${form}" already`,
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
  holds: (reader, path, { holds }) => {
    const check = readCheck(reader, path, holds as CheckInput);
    mustOnlyLook(reader.source, path, holds as CheckInput);
    return { form: { holds: check.text }, look: { kind: 'holds', check } };
  },
};

/** Commands that leave a member as it was. */
// biome-ignore format: a list
const LOOKS = ['aggregate', 'buildInfo', 'collStats', 'connectionStatus', 'count', 'currentOp', 'dbHash', 'dbStats', 'distinct', 'explain',
  'find', 'getCmdLineOpts', 'getLog', 'getParameter', 'hello', 'isMaster', 'listCollections', 'listDatabases', 'listIndexes', 'ping',
  'replSetGetConfig', 'replSetGetRBID', 'replSetGetStatus', 'replsimRollbackFiles', 'serverStatus', 'validate'];

/** A run with a question must be the run without it; a check may do something, and that is its author's business. */
function mustOnlyLook(source: Source, path: Path, { command, not }: CheckInput): void {
  const [name] = Object.keys(command ?? {});
  if (name !== undefined && !LOOKS.includes(name))
    source.mistakeAtPath(
      [...path, 'command', name],
      `a question only looks, and "${name}" may do something`,
      `do it in a step: "- run: { as: NAME, … }", and ask for { reply: NAME }`,
    );
  if (not !== undefined) mustOnlyLook(source, [...path, 'not'], not as CheckInput);
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
        `which numbers can be chosen is not said`,
        'for instance choices: [0, 5, 25]',
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
