import { required } from '@replsim/protocol';
import { type FaultKind, isFault } from '@replsim/replset';
import { Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import type { WordJudge } from '../judging/judgeWords.ts';
import type { Action, LetBinding, StartTransactionAction, Step } from '../scenario.ts';
import type { StepInput, StepInputs, stepShape } from '../schema/stepSchema.ts';
import { flowText } from './flowText.ts';
import { readCheck } from './readChecks.ts';
import { clientSteps, reconfigSteps } from './readClient.ts';
import type { Reader } from './reader.ts';
import { readFault } from './readFault.ts';
import { lessonSteps } from './readLesson.ts';
import { clientsOutside, readAt } from './readOutside.ts';
import { readReadPreference } from './readReadPreference.ts';
import { watchSteps } from './readWatch.ts';
import { workloadSteps } from './readWorkload.ts';

type Kind = keyof typeof stepShape;
type Readers = {
  [K in Exclude<Kind, FaultKind | 'repeat' | 'transaction'>]: (
    reader: Reader,
    path: Path,
    input: StepInputs[K],
  ) => Action;
};

/** Where a step stands, and which one it is. */
interface Place {
  readonly path: Path;
  /** From 1. */
  readonly index: number;
  /** It stands in a repetition. */
  readonly isRepeated?: boolean;
}

/** What is opened or started once, under a name that is its own. */
const ONCE = ['workload', 'watch', 'connect', 'act'];

/** Reads one step that the schema has found right; undefined if it says nothing or two things. */
export function readStep(reader: Reader, place: Place, input: StepInput, judge: WordJudge): Step | undefined {
  const { source } = reader;
  const { path, index } = place;
  const [kind, second] = Object.keys(input).filter((key) => key !== 'at') as Kind[];
  if (kind === undefined && input.at === undefined) {
    source.mistakeAtPath(path, 'this step says nothing', 'for instance "- advance: 10s"');
    return undefined;
  }
  if (second !== undefined) {
    source.mistakeAtKey(
      path,
      second,
      `a step does one thing, and this one has "${kind}" already`,
      `begin a new step: "- ${second}: …"`,
    );
    return undefined;
  }
  if (place.isRepeated && !canBeRepeated(reader, path, kind, input)) return undefined;
  const { at } = input;
  if (input.repeat !== undefined && at === undefined) return readRepeat(reader, place, input.repeat, judge);
  if (input.transaction !== undefined && at === undefined)
    return readTransaction(reader, place, input.transaction, judge);
  // What came from outside was refused as it came.
  if (kind !== undefined && at === undefined) judge.step([...path, kind], kind, input[kind]);
  const action =
    at === undefined
      ? readAction(reader, path, required(kind, 'kind of step'), input)
      : readAt(reader, path, at, kind, input);
  return { index, line: source.lineOf(path), text: flowText(source, source.nodeAt(path)), action };
}

function canBeRepeated({ source }: Reader, path: Path, kind: Kind | undefined, { at }: StepInput): boolean {
  if (at !== undefined)
    source.mistakeAtKey(path, 'at', 'an instant comes only once', 'leave "at" out, or take the step out of "repeat"');
  else if (kind !== undefined && ONCE.includes(kind))
    source.mistakeAtKey(
      path,
      kind,
      `"${kind}" is done once, and each turn would do it again`,
      'do it before the "repeat"',
    );
  else return true;
  return false;
}

/** Its line says how often; the steps have lines of their own. */
function readRepeat(reader: Reader, { path, index }: Place, input: StepInputs['repeat'], judge: WordJudge): Step {
  const { source } = reader;
  const at = [...path, 'repeat'];
  const { times, for: duration } = input;
  if (times === undefined && duration === undefined)
    source.mistakeAtKey(path, 'repeat', '"repeat" says how often', 'add "times: 3" or "for: 2m"');
  if (times !== undefined && duration !== undefined)
    source.mistakeAtKey(at, 'for', '"times" and "for" do not go together', 'leave one of them out');
  const until = duration === undefined ? { times: times ?? 1 } : { forMicros: reader.span([...at, 'for'], duration) };
  const steps = (input.steps as readonly StepInput[]).flatMap(
    (step, i) => readStep(reader, { path: [...at, 'steps', i], index, isRepeated: true }, step, judge) ?? [],
  );
  const text = `repeat: {${duration === undefined ? `times: ${times}` : `for: ${duration}`}}`;
  return { index, line: source.lineOf(path), text, action: { kind: 'repeat', until, steps } };
}

/** Commands that a session is given where they name none. */
const IN_SESSION = ['run', 'insert', 'update', 'delete', 'find'] as const;

function readTransaction(
  reader: Reader,
  { path, index, isRepeated = false }: Place,
  input: StepInputs['transaction'],
  judge: WordJudge,
): Step {
  const { source } = reader;
  const at = [...path, 'transaction'];
  const { session, commit = true } = input;
  judge.step(at, 'transaction', input);
  const steps = (input.steps as readonly StepInput[]).flatMap((step, i) => {
    const inner = [...at, 'steps', i];
    if (step.transaction !== undefined)
      source.mistakeAtKey(inner, 'transaction', 'a transaction holds no other', 'let it stand beside this one');
    return readStep(reader, { path: inner, index, isRepeated }, inSession(step, session), judge) ?? [];
  });
  const start = stepReaders.startTransaction(reader, at, input) as StartTransactionAction;
  const end = clientSteps[commit ? 'commitTransaction' : 'abortTransaction'](reader, at, { session });
  const text = `transaction: {session: ${session}${commit ? '' : ', commit: false'}}`;
  return { index, line: source.lineOf(path), text, action: { kind: 'transaction', start, steps, end } };
}

function inSession(step: StepInput, session: string): StepInput {
  const kind = IN_SESSION.find((each) => step[each] !== undefined);
  return kind ? { ...step, [kind]: { session, ...step[kind] } } : step;
}

function readAction(reader: Reader, path: Path, kind: Kind, input: StepInput): Action {
  if (isFault(kind)) return readFault(reader, [...path, kind], kind, input[kind]);
  const read = stepReaders[kind as keyof Readers] as (reader: Reader, path: Path, input: unknown) => Action;
  return read(reader, [...path, kind], input[kind]);
}

const stepReaders: Readers = {
  ...clientSteps,
  ...reconfigSteps,
  ...workloadSteps,
  ...watchSteps,
  ...clientsOutside,
  ...lessonSteps,
  advance: (reader, path, input) => {
    if (typeof input === 'string') {
      const byMicros = reader.span(path, input);
      reader.earliestMicros += byMicros;
      return { kind: 'advance', byMicros };
    }
    const toMicros = reader.span([...path, 'to'], input.to);
    reader.earliestMicros = Math.max(reader.earliestMicros, toMicros);
    return { kind: 'advanceTo', toMicros };
  },
  let: (reader, path, input) => ({
    kind: 'let',
    bindings: Object.entries(input).map(([name, binding]): LetBinding => {
      const at = [...path, name];
      const on = reader.target([...at, 'on'], binding.on);
      if (name === 'now' || name === 'i' || name === 'rand')
        reader.source.mistakeAtKey(path, name, `$${name} has a meaning of its own`, 'choose another name');
      const command = withDb(reader.template([...at, 'command']), binding.db ?? 'admin');
      reader.lets.add(name);
      return { name, on, command, path: binding.path };
    }),
  }),
  startTransaction: (reader, path, { session, options }) => {
    const at = [...path, 'options'];
    const readPreference = readReadPreference(reader, [...at, 'readPreference'], options?.readPreference);
    if (readPreference && readPreference.mode !== 'primary')
      reader.source.mistakeAtPath(
        [...at, 'readPreference'],
        'a transaction reads from the primary, and drivers refuse anything else',
        'leave it out; a snapshot read outside of transactions may go to a secondary',
      );
    return {
      kind: 'startTransaction',
      session,
      options: new Template(reader.values(at, ['readConcern', 'writeConcern', 'maxCommitTimeMS'])),
    };
  },
  note: (_reader, _path, text) => ({ kind: 'note', text: text.trim() }),
  expect: (reader, path, input) => ({ kind: 'expect', check: readCheck(reader, path, input) }),
  eventually: (reader, path, { within, after, ...check }) => {
    const withinMicros = reader.span([...path, 'within'], within);
    const afterMicros = after === undefined ? undefined : reader.span([...path, 'after'], after);
    if (afterMicros !== undefined && afterMicros >= withinMicros)
      reader.source.mistakeAtPath(
        [...path, 'after'],
        `"after" must be less than "within"`,
        `after ${after} nothing is left of ${within}`,
      );
    return {
      kind: 'eventually',
      check: readCheck(reader, path, check),
      withinMicros,
      ...(afterMicros !== undefined && { afterMicros }),
    };
  },
  always: (reader, path, { for: duration, ...check }) => {
    const forMicros = reader.span([...path, 'for'], duration);
    if (forMicros === 0)
      reader.source.mistakeAtPath(
        [...path, 'for'],
        'in no time nothing can happen that breaks it',
        'for instance for: 30s; "expect" looks once',
      );
    return { kind: 'always', check: readCheck(reader, path, check), forMicros };
  },
};
