import { formatDuration, formatInstant } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';
import type { ReplicaSetApi, StartOptions } from '@replsim/replset';
import { endingOf, kept, showErrors, valueAt } from './answers.ts';
import type { Checks, Refusal } from './checks.ts';
import type { Fillings } from './fillings.ts';
import type { Members } from './members.ts';
import { parametersOf } from './parameters.ts';
import type { Outside } from './recording/outside.ts';
import {
  type Action,
  type LetBinding,
  type OutsideAction,
  type StartAction,
  type Step,
  TARGET_WORDS,
  type Target,
} from './scenario.ts';
import { fill, withSecondaryOk } from './secondaryOk.ts';
import { showDocument } from './show.ts';
import type { RunUntil, StepClient } from './stepClient.ts';
import { StepFailure } from './stepFailure.ts';
import type { Workloads } from './workload/workloads.ts';

/** What steps work on. */
export interface Stage {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  readonly client: StepClient;
  readonly workloads: Workloads;
  readonly outside: Outside;
  readonly checks: Checks;
  readonly runUntil: RunUntil;
  readonly advanceTo: (untilMicros: number) => Promise<void>;
}

/** A process that gets SIGTERM and does not end in this time never will. */
const SHUTDOWN_MICROS = 600_000_000;

/** Does one step, with its line in the trace. @throws StepFailure if it does not do what the scenario says */
export async function performStep({ index, text, action }: Step, stage: Stage): Promise<void> {
  if (isCheck(action)) return performCheck(text, action, stage);
  // It is told by what the members make of it, as when it came from outside.
  if (action.kind === 'outside') return performOutside(action, stage);
  if (action.kind === 'note') stage.set.record({ type: 'note', text: action.text });
  else {
    stage.set.record({ type: 'step', index, text });
    await perform(action, stage);
  }
}

type CheckAction = Extract<Action, { kind: 'expect' | 'eventually' | 'always' }>;

function isCheck(action: Action): action is CheckAction {
  return action.kind === 'expect' || action.kind === 'eventually' || action.kind === 'always';
}

/** A check's line in the trace stands where its answer is known. */
async function performCheck(text: string, action: CheckAction, stage: Stage): Promise<void> {
  const { set } = stage;
  const refusal = await refusalOf(action, stage);
  set.record({ type: 'checked', text, held: !refusal, ...(refusal && { detail: refusal.got }) });
  if (refusal) throw new StepFailure(refusal.asked, refusal.got);
}

async function refusalOf(action: CheckAction, { set, checks, runUntil }: Stage): Promise<Refusal> {
  const start = set.nowMicros;
  const refusal = () => checks.refusal(action.check);
  switch (action.kind) {
    case 'expect':
      return refusal();
    case 'eventually': {
      const { afterMicros, withinMicros } = action;
      if (afterMicros !== undefined && (await runUntil(() => !refusal(), start + afterMicros - 1)))
        return {
          asked: `it does not hold before ${formatDuration(afterMicros)}`,
          got: `it holds after ${formatDuration(set.nowMicros - start)}`,
        };
      if (await runUntil(() => !refusal(), start + withinMicros)) return undefined;
      const last = refusal();
      return last && { asked: `within ${formatDuration(withinMicros)}: ${last.asked}`, got: last.got };
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
  await advanceTo(atMicros ?? set.nowMicros, stage);
  for (const [index, input] of inputs.entries()) {
    if (index > 0) await stage.advanceTo(set.nowMicros);
    await outside.happen(input);
  }
}

async function advanceTo(toMicros: number, { set, advanceTo }: Stage): Promise<void> {
  if (toMicros < set.nowMicros)
    throw new StepFailure(
      `${formatInstant(toMicros)} after time zero`,
      `it is ${formatInstant(set.nowMicros)} already`,
    );
  await advanceTo(toMicros);
}

async function perform(
  action: Exclude<Action, CheckAction | OutsideAction | { kind: 'note' }>,
  stage: Stage,
): Promise<void> {
  const { set, members, client } = stage;
  switch (action.kind) {
    case 'advance':
      return stage.advanceTo(set.nowMicros + action.byMicros);
    case 'advanceTo':
      return advanceTo(action.toMicros, stage);
    case 'client':
      return client.run(action);
    case 'reconfig':
      return client.reconfig(action);
    case 'workload':
      return stage.workloads.start(action);
    case 'stop':
      return stage.workloads.stop(action.workload);
    case 'let':
      for (const binding of action.bindings) remember(binding, stage);
      return;
    case 'kill':
      for (const member of running(action.on, stage)) set.kill(member);
      return;
    case 'shutdown':
      return shutdown(running(action.on, stage), stage);
    case 'pause':
      for (const member of running(action.on, stage)) set.pause(member);
      return;
    case 'resume':
      for (const member of running(action.on, stage)) set.resume(member);
      return;
    case 'hold':
      for (const member of running(action.on, stage)) for (const part of action.parts) set.hold(member, part);
      return;
    case 'release':
      for (const member of running(action.on, stage)) for (const part of action.parts) set.release(member, part);
      return;
    case 'start':
    case 'restart':
      return start(action, stage);
    case 'partition':
      return set.partition(sides(action.sides, stage));
    case 'cut':
      for (const [from, to] of pairs(action.from, action.to, stage)) set.cut(from, to);
      return;
    case 'disconnect':
      for (const [from, to] of pairs(action.from, action.to, stage)) set.disconnect(from, to);
      return;
    case 'heal':
      return set.heal(action.on.includes('all') ? 'all' : someOf(action.on, members.toHit(action.on)));
    case 'link':
      for (const [from, to] of pairs(action.from, action.to, stage)) set.link(from, to, action.settings);
      return;
    case 'disk':
      for (const member of someOf(action.on, members.toHit(action.on))) await set.disk(member, action.settings);
      return;
    case 'clock':
      for (const member of someOf(action.on, members.toHit(action.on))) {
        if (action.jumpMs !== undefined) set.jumpClock(member, action.jumpMs);
        if (action.driftPpm !== undefined) set.driftClock(member, action.driftPpm);
      }
      return;
  }
}

/** `let`: asks at this instant and keeps a value of the answer. */
function remember({ name, on, command, path }: LetBinding, { set, members, fillings }: Stage): void {
  const [member] = members.toAsk(on);
  if (member === undefined || !members.answers(member))
    throw new StepFailure(
      `${name}, from ${on.join(', ')}`,
      member === undefined ? 'no such member answers' : members.silence(member),
    );
  const reply = set.ask(member, fill(withSecondaryOk(command), fillings.for(member)));
  const { ok, errors } = endingOf(reply);
  if (!ok) throw new StepFailure(`${name}, from ${member}`, showErrors(errors));
  const value = valueAt(reply, path);
  if (!value) throw new StepFailure(`${path} in the answer of ${member}`, showDocument(reply));
  fillings.lets.set(name, kept(value));
}

async function shutdown(names: readonly string[], { set, runUntil }: Stage): Promise<void> {
  for (const member of names) set.shutdown(member);
  const isDone = () => names.every((member) => !set.status(member).running);
  if (!(await runUntil(isDone, set.nowMicros + SHUTDOWN_MICROS)))
    throw new StepFailure(`${names.join(', ')} shut down`, `still running after ${formatDuration(SHUTDOWN_MICROS)}`);
}

async function start(action: StartAction, stage: Stage): Promise<void> {
  const { set, members, fillings } = stage;
  const hit = someOf(action.on, members.toHit(action.on));
  const isUp = (member: string) => set.status(member).running;
  if (action.kind === 'restart') await shutdown(hit.filter(isUp), stage);
  for (const member of hit) {
    if (isUp(member)) {
      if (action.on.includes(member)) throw new StepFailure(`${member} starts`, 'it is running already');
      continue;
    }
    const options: StartOptions = {
      ...(action.as !== undefined && { as: action.as }),
      ...(action.parameters && { parameters: parametersOf(action.parameters, fillings.for(member)) }),
      ...(action.wipe && { wipe: true }),
      ...(action.queryableBackupMode && { queryableBackupMode: true }),
    };
    const refusal = await startOne(set, member, options);
    if (refusal !== undefined && !action.error) throw new StepFailure(`${member} starts`, refusal);
    if (refusal === undefined && action.error) throw new StepFailure(`${member} refuses to start`, 'it started');
  }
}

/** What the process said before it gave up; undefined if it started. */
async function startOne(set: ReplicaSetApi, member: string, options: StartOptions): Promise<string | undefined> {
  try {
    await set.start(member, options);
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return `${error.codeName}: ${error.message}`;
    throw error;
  }
}

/** The running members of a target; one that is named and does not run is a failure. */
function running(on: Target, { set, members }: Stage): string[] {
  const hit = someOf(on, members.toHit(on));
  const down = hit.find((member) => on.includes(member) && !set.status(member).running);
  if (down !== undefined) throw new StepFailure(`${down} is running`, members.silence(down));
  return hit.filter((member) => set.status(member).running);
}

function someOf(on: Target, found: string[]): string[] {
  if (found.length > 0) return found;
  const word = TARGET_WORDS.find((each) => on.includes(each)) ?? on.join(', ');
  throw new StepFailure(`a member that is meant by "${word}"`, 'there is none now');
}

/** The sides of a partition; a word stands for those that no earlier side names. */
function sides(targets: readonly Target[], { members }: Stage): string[][] {
  const named = new Set(targets.flat());
  const placed = new Set<string>();
  return targets.map((target) => {
    const side = members
      .toHit(target)
      .filter((member) => !placed.has(member) && (target.includes(member) || !named.has(member)));
    for (const member of side) placed.add(member);
    return someOf(target, side);
  });
}

function pairs(from: Target, to: Target, { members }: Stage): [string, string][] {
  const ends = someOf(to, members.toHit(to));
  return someOf(from, members.toHit(from)).flatMap((a) =>
    ends.filter((b) => b !== a).map((b): [string, string] => [a, b]),
  );
}
