import { formatDuration, formatInstant } from '@replsim/kernel';
import { required } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Checks, Refusal } from '../checks/checks.ts';
import { Standing } from '../checks/standing.ts';
import { showDocument, showValue } from '../file/show.ts';
import type { Outside } from '../recording/outside.ts';
import type { Action, BeginAction, Check, LetBinding, OutsideAction, Step } from '../scenario.ts';
import { adviceOnPath } from '../stage/advice.ts';
import { endingOf, kept, showErrors, valueAt, WRITE_CONCERN_ERROR } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { Members } from '../stage/members.ts';
import { fill, withSecondaryOk } from '../stage/secondaryOk.ts';
import type { RunUntil, StepClient } from '../stage/stepClient.ts';
import { StepFailure, stepFailureOf } from '../stage/stepFailure.ts';
import type { Streams } from '../streams/streams.ts';
import type { Workloads } from '../workload/workloads.ts';
import { findAnswer } from './findings.ts';
import { performFault } from './performFault.ts';
import { performRepeat } from './performRepeat.ts';
import { performTransaction } from './performTransaction.ts';
import type { Questions } from './questions.ts';

/** Of a value that is remembered so much is told. */
const LET_WIDTH = 80;

/** A set that does not stand by then never will. */
const START_MICROS = 600_000_000;

/** What steps work on. */
export interface Stage {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  readonly client: StepClient;
  readonly workloads: Workloads;
  readonly streams: Streams;
  readonly outside: Outside;
  readonly checks: Checks;
  readonly checksWith: (fillings: Fillings) => Checks;
  readonly questions: Questions;
  readonly runUntil: RunUntil;
  readonly advanceTo: (untilMicros: number) => Promise<void>;
  /** An invariant that has been broken. */
  readonly broken: () => StepFailure | undefined;
}

/** Does one step, with its lines in the trace. @throws StepFailure if it does not do what the scenario says */
export async function performStep(step: Step, stage: Stage): Promise<void> {
  const { index, text, action } = step;
  if (isCheck(action)) return performCheck(text, action, stage);
  // It is told by what the members make of it, as when it came from outside.
  if (action.kind === 'outside') return performOutside(action, stage);
  if (isSaid(action)) return say(step, action, stage);
  const { set } = stage;
  const sinceMicros = set.nowMicros;
  set.record({ type: 'step', index, text, ...(action.kind === 'begin' && { folded: true }) });
  const ended = (outcome: 'done' | 'failed', returned: string | undefined) =>
    set.record({ type: 'stepEnded', index, outcome, sinceMicros, ...(returned !== undefined && { returned }) });
  try {
    ended('done', await perform(step, action, stage));
  } catch (error) {
    const failure = stepFailureOf(error);
    if (failure) ended('failed', failure.inner ? failure.inner.where : failure.got);
    throw error;
  }
}

type CheckAction = Extract<Action, { kind: 'expect' | 'eventually' | 'always' }>;

function isCheck(action: Action): action is CheckAction {
  return action.kind === 'expect' || action.kind === 'eventually' || action.kind === 'always';
}

type SaidAction = Extract<Action, { kind: 'note' | 'act' | 'focus' | 'ask' }>;

function isSaid(action: Action): action is SaidAction {
  return action.kind === 'note' || action.kind === 'act' || action.kind === 'focus' || action.kind === 'ask';
}

/** What is meant for who reads: nothing is done to the set. */
function say(step: Step, action: SaidAction, { set, members, fillings, questions, checksWith }: Stage): void {
  switch (action.kind) {
    case 'note':
      return set.record({ type: 'note', text: action.text });
    case 'act':
      return set.record({ type: 'act', title: action.title });
    case 'focus':
      return set.record({ type: 'focused', on: action.on });
    case 'ask': {
      const aside = fillings.aside();
      const checks = checksWith(aside);
      return questions.ask(step, action, (look) => findAnswer(look, { set, members, fillings: aside, checks }));
    }
  }
}

/** A check's line in the trace stands where its answer is known. */
async function performCheck(text: string, action: CheckAction, stage: Stage): Promise<void> {
  const { set } = stage;
  const sinceMicros = set.nowMicros;
  const refusal = await refusalOf(action, stage);
  set.record({
    type: 'checked',
    text,
    held: !refusal,
    ...(set.nowMicros > sinceMicros && { sinceMicros }),
    ...(refusal && { detail: refusal.got }),
    ...(action.kind !== 'always' && questionOf(action.check, refusal, stage)),
  });
  if (refusal)
    throw new StepFailure(refusal.asked, refusal.got, { advice: refusal.advice ?? adviceOnTime(action, refusal) });
}

/** What could have been asked instead of checked, and the answer; nothing where nobody could give one. */
function questionOf({ asks, text }: Check, refusal: Refusal, stage: Stage) {
  if (refusal?.unanswered) return {};
  if (!asks) return { form: { holds: text }, found: refusal ? 'no' : 'yes' };
  const finding = findAnswer(asks.look, stage);
  return 'found' in finding ? { form: asks.form, found: finding.found } : {};
}

/** A set needs time to have a primary: what is asked of it too soon. */
function adviceOnTime(action: CheckAction, { noPrimary }: NonNullable<Refusal>): string | undefined {
  if (!noPrimary) return undefined;
  if (action.kind === 'expect') return '"expect" does not wait; before it: eventually: { within: 30s, primary: any }';
  if (action.kind !== 'eventually' || action.withinMicros >= FIRST_PRIMARY_MICROS) return undefined;
  return `a set has its first primary some ${formatDuration(FIRST_PRIMARY_MICROS)} after it starts: within: 30s`;
}

/** An election timeout, and what is done before and after it. */
const FIRST_PRIMARY_MICROS = 11_000_000;

async function refusalOf(action: CheckAction, { set, checks, runUntil }: Stage): Promise<Refusal> {
  const start = set.nowMicros;
  const refusal = () => checks.refusal(action.check);
  switch (action.kind) {
    case 'expect':
      return refusal();
    case 'eventually': {
      const { afterMicros, withinMicros } = action;
      // Before no time at all there is no instant at which it could hold.
      if (afterMicros && (await runUntil(() => !refusal(), start + afterMicros - 1)))
        return {
          asked: `it does not hold before ${formatDuration(afterMicros)}`,
          got: `it holds after ${formatDuration(set.nowMicros - start)}`,
        };
      if (await runUntil(() => !refusal(), start + withinMicros)) return undefined;
      const last = refusal();
      return last && { ...last, asked: `within ${formatDuration(withinMicros)}: ${last.asked}` };
    }
    case 'always': {
      if (!(await runUntil(() => refusal() !== undefined, start + action.forMicros))) return undefined;
      const broken = refusal();
      return (
        broken && {
          ...broken,
          asked: `for ${formatDuration(action.forMicros)}: ${broken.asked}`,
          got: `after ${formatDuration(set.nowMicros - start)}: ${broken.got}`,
        }
      );
    }
  }
}

/** What is due by then happens first, before each of them, as it did when they were recorded. */
async function performOutside({ atMicros, inputs }: OutsideAction, stage: Stage): Promise<void> {
  const { set, outside } = stage;
  await advanceTo(atMicros ?? set.nowMicros, stage, 'at');
  for (const [index, input] of inputs.entries()) {
    if (index > 0) await stage.advanceTo(set.nowMicros);
    await outside.happen(input);
  }
}

const WAY_ON = {
  to: (duration: string) => `"- advance: ${duration}" lets so much pass from now on`,
  at: () => 'choose a later instant, or write the step before the one that lasted until now',
};

/** @param word of the step that names the instant */
async function advanceTo(toMicros: number, { set, advanceTo }: Stage, word: 'at' | 'to'): Promise<void> {
  if (toMicros < set.nowMicros)
    throw new StepFailure(
      `${formatInstant(toMicros)} after time zero`,
      `it is ${formatInstant(set.nowMicros)} already`,
      { advice: `"${word}" counts from time zero; ${WAY_ON[word](formatDuration(toMicros))}` },
    );
  await advanceTo(toMicros);
}

/** @returns what came of it in a few words, where it is more than that it was done */
async function perform(
  step: Step,
  action: Exclude<Action, CheckAction | OutsideAction | SaidAction>,
  stage: Stage,
): Promise<string | undefined> {
  const { set, client } = stage;
  switch (action.kind) {
    case 'begin':
      return begin(action, stage);
    case 'repeat':
      return performRepeat(action, {
        now: () => set.nowMicros,
        tell: (text) => set.record({ type: 'note', text }),
        perform: (step) => performStep(step, stage),
        broken: stage.broken,
      });
    case 'advance':
      await stage.advanceTo(set.nowMicros + action.byMicros);
      return undefined;
    case 'advanceTo':
      await advanceTo(action.toMicros, stage, 'to');
      return undefined;
    case 'client':
      return client.run(action);
    case 'transaction':
      return performTransaction(step, action, client, (inner) => performStep(inner, stage));
    case 'startTransaction':
      client.startTransaction(step, action);
      return undefined;
    case 'reconfig':
      return client.reconfig(action);
    case 'workload':
      stage.workloads.start(action);
      return undefined;
    case 'watch':
      stage.streams.open(step, action);
      return undefined;
    case 'stop':
      if (!stage.streams.stop(action.name)) await stage.workloads.stop(action.name);
      return undefined;
    case 'let':
      return action.bindings.map((binding) => remember(binding, stage)).join(', ');
    case 'fault':
      await performFault(action, stage);
      return undefined;
  }
}

/** @returns who is what */
async function begin({ delayed }: BeginAction, { set, members, runUntil }: Stage): Promise<string> {
  const standing = new Standing(set, members, delayed);
  if (await runUntil(() => standing.text !== undefined, set.nowMicros + START_MICROS))
    return required(standing.text, 'who is what');
  throw new StepFailure(
    `a set that stands within ${formatDuration(START_MICROS)}`,
    members.primary() === undefined ? 'nobody is primary' : 'not all members have caught up with the primary',
    { wanted: 'primary' },
  );
}

/** `let`: asks at this instant and keeps a value of the answer. @returns which */
function remember({ name, on, command, path }: LetBinding, { set, members, fillings }: Stage): string {
  const [member] = members.toAsk(on);
  if (member === undefined || !members.answers(member))
    throw new StepFailure(
      `${name}, from ${on.join(', ')}`,
      member === undefined ? 'no such member answers' : members.silence(member),
    );
  const reply = set.ask(member, fill(withSecondaryOk(command), fillings.for(member)));
  const { ok, errors } = endingOf(reply);
  // As in a client step: what was done, but not to its write concern, nobody may count on.
  if (!ok || (errors.length > 0 && !path.startsWith(WRITE_CONCERN_ERROR)))
    throw new StepFailure(`${name}, from ${member}`, showErrors(errors), ok ? { wanted: 'writeConcern' } : {});
  const value = valueAt(reply, path);
  if (!value)
    throw new StepFailure(`${path} in the answer of ${member}`, showDocument(reply), {
      advice: adviceOnPath(path, reply),
    });
  fillings.lets.set(name, kept(value));
  return `${name} is ${showValue(value, LET_WIDTH)}`;
}
