import { formatDuration, parseDuration } from '@replsim/kernel';
import { CommandError, encodeDocument, required } from '@replsim/protocol';
import {
  actionsOf,
  compatibilityCommand,
  type FaultAction,
  type FaultDoor,
  type FaultPath,
  isWanted,
  needsPrimary,
  type ReplicaSetApi,
  TARGET_WORDS,
  type Target,
  unsettled,
  type Wanted,
  wordsOf,
} from '@replsim/replset';
import { endingOf, showErrors } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { Members } from '../stage/members.ts';
import { parametersOf } from '../stage/parameters.ts';
import type { RunUntil } from '../stage/stepClient.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import { documentKey, type FaultStep } from './readFault.ts';

/** What a fault needs of the stage. */
interface FaultStage {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  readonly runUntil: RunUntil;
}

/** A process that gets SIGTERM and does not end in this time never will. */
const SHUTDOWN_MICROS = 600_000_000;

/** Does what a fault comes to. What ends has ended before the next thing begins. @throws StepFailure */
export async function performFault(step: FaultStep, stage: FaultStage): Promise<void> {
  if (needsPrimary(step.fault)) await primary(step, stage);
  const ending: string[] = [];
  for (const action of actionsOf(step.fault, step.input, new StageDoor(step, stage))) {
    if (action.type !== 'shutdown') await ended(ending.splice(0), stage);
    if (action.type === 'settled') {
      await settled(action.member, stage);
      continue;
    }
    if (action.type === 'compatibility') {
      await tellPrimary(compatibilityCommand(action), stage);
      continue;
    }
    if (action.type === 'start') await start(action, step.mustFail, stage.set);
    else await stage.set.fault(action);
    if (action.type === 'truncateOplog') await truncated(action.member, stage);
    if (action.type === 'shutdown') ending.push(action.member);
  }
  await ended(ending, stage);
}

/** A checkpoint comes first, which takes longer than this only where its journal is held or its disk gives none. */
const CHECKPOINT_MICROS = 60_000_000;

async function truncated(member: string, { set, runUntil }: FaultStage): Promise<void> {
  const isDone = () => !set.status(member).truncatesOplog;
  if (!(await runUntil(isDone, set.nowMicros + CHECKPOINT_MICROS)))
    throw new StepFailure(
      `${member} deletes its oldest entries`,
      `it waits for a checkpoint for ${formatDuration(CHECKPOINT_MICROS)}; is its journal held?`,
    );
}

/** A member that is not back by then, or a set without a primary, is not helped by more time. */
const SETTLE_MICROS = 120_000_000;

async function primary({ fault }: FaultStep, { set, members, runUntil }: FaultStage): Promise<void> {
  if (await runUntil(() => members.toHit(['primary']).length > 0, set.nowMicros + SETTLE_MICROS)) return;
  throw new StepFailure(
    `${fault} begins when the set has a primary`,
    `the set has no primary, after ${formatDuration(SETTLE_MICROS)}`,
  );
}

async function settled(member: string, { set, runUntil }: FaultStage): Promise<void> {
  if (await runUntil(() => unsettled(set, member) === undefined, set.nowMicros + SETTLE_MICROS)) return;
  throw new StepFailure(
    `a rolling restart continues when ${member} is at work`,
    `${unsettled(set, member) ?? 'it is only now'}, after ${formatDuration(SETTLE_MICROS)}`,
  );
}

/** What waits for a majority that is not there is not helped by more time. */
async function tellPrimary(command: object, { set, runUntil }: FaultStage): Promise<void> {
  const [name, value] = Object.entries(command)[0]!;
  const asked = `${name}: "${value}" on the primary`;
  const primary = set.memberNames.find((member) => set.status(member).saysPrimary);
  if (primary === undefined) throw new StepFailure(asked, 'the set has no primary');
  const pending = set.send(primary, encodeDocument({ ...command, $db: 'admin' }));
  await runUntil(() => pending.reply !== undefined, set.nowMicros + SETTLE_MICROS);
  if (pending.reply === undefined)
    throw new StepFailure(asked, `${primary} has not answered after ${formatDuration(SETTLE_MICROS)}`);
  const { errors } = endingOf(pending.reply);
  if (errors.length > 0) throw new StepFailure(asked, showErrors(errors));
}

async function ended(names: readonly string[], { set, runUntil }: FaultStage): Promise<void> {
  if (names.length === 0) return;
  const isDone = () => names.every((member) => !set.status(member).running);
  if (!(await runUntil(isDone, set.nowMicros + SHUTDOWN_MICROS)))
    throw new StepFailure(`${names.join(', ')} shut down`, `still running after ${formatDuration(SHUTDOWN_MICROS)}`);
}

async function start(action: FaultAction & { type: 'start' }, mustFail: boolean, set: ReplicaSetApi): Promise<void> {
  // What happens meanwhile may have started it, between the two halves of a restart.
  if (set.status(action.member).running) throw runningAlready(action.member);
  const refusal = await refusalOf(action, set);
  if (refusal !== undefined && !mustFail) throw new StepFailure(`${action.member} starts`, refusal);
  if (refusal === undefined && mustFail) throw new StepFailure(`${action.member} refuses to start`, 'it started');
}

/** What the process said before it gave up; undefined if it started. */
async function refusalOf(action: FaultAction, set: ReplicaSetApi): Promise<string | undefined> {
  try {
    await set.fault(action);
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return `${error.codeName}: ${error.message}`;
    throw error;
  }
}

/** The moment at which it is a fault's turn. */
class StageDoor implements FaultDoor {
  readonly takesOneSide = false;
  readonly #step: FaultStep;
  readonly #stage: FaultStage;

  constructor(step: FaultStep, stage: FaultStage) {
    this.#step = step;
    this.#stage = stage;
  }

  /** Words pass over those that are not as wanted; to name such a one is a failure. */
  members(_at: FaultPath, target: Target, are?: Wanted): readonly string[] {
    const { set, members } = this.#stage;
    const hit = members.toHit(wordsOf(target));
    if (hit.length === 0) nobody(target);
    const isNamed = (member: string) => wordsOf(target).includes(member);
    const fits = (member: string) => isWanted(set.status(member), are, isNamed(member));
    const wrong = hit.find((member) => isNamed(member) && !fits(member));
    if (wrong === undefined) return hit.filter(fits);
    throw are !== 'stopped'
      ? new StepFailure(`${wrong} is running`, members.silence(wrong), { advice: `"- start: ${wrong}" before it` })
      : runningAlready(wrong);
  }

  /** The reader has found it right. */
  durationMs(_at: FaultPath, given: string | number): number {
    return required(parseDuration(String(given)), 'duration in what was given') / 1000;
  }

  document(at: FaultPath, _given: Record<string, unknown>, member: string): Record<string, unknown> {
    return parametersOf(
      required(this.#step.documents.get(documentKey(at)), 'document of this fault'),
      this.#stage.fillings.for(member),
    );
  }

  mistake(_at: FaultPath, message: string): never {
    throw new StepFailure(`${this.#step.fault} that can be done`, message);
  }

  nobody(_at: FaultPath, target: Target): never {
    return nobody(target);
  }
}

function runningAlready(member: string): StepFailure {
  return new StepFailure(`${member} starts`, 'it is running already', {
    advice: `"- restart: ${member}", or "- kill: ${member}" before it`,
  });
}

function nobody(target: Target): never {
  const words = wordsOf(target);
  const word = TARGET_WORDS.find((each) => words.includes(each)) ?? words.join(', ');
  throw new StepFailure(`a member that matches "${word}"`, 'there is none now');
}
