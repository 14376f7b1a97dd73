import { HOLDABLE_PARTS, type HoldablePart } from '@replsim/protocol';
import * as z from 'zod';
import { eventDue, writesReleasedDue } from '../due.ts';
import type { Process } from '../member.ts';
import type { World } from '../world.ts';
import { each, type Fault } from './fault.ts';
import { strict, target, targetOr } from './shapes.ts';
import type { Target } from './targets.ts';

/** Argument of the fault `hold`: one part of one or more members. */
export interface PartOf {
  /** The members. */
  readonly on: Target;
  /** The part to stop: `fetch`, `apply`, `journal`, `heartbeats` or `ttl`. */
  readonly part: HoldablePart;
}

/** Argument of the fault `release`: one part of one or more members, or all their parts. */
export interface PartsOf {
  /** The members. */
  readonly on: Target;
  /** The part to release. Default: all parts that are held. */
  readonly part?: HoldablePart | undefined;
}

/** A fault of one part of one member. */
export interface OnPart<Type extends string> {
  readonly type: Type;
  readonly member: string;
  readonly part: HoldablePart;
}

const on = target.describe('Whose part');
const part = z
  .enum(HOLDABLE_PARTS, { error: `expected one of ${HOLDABLE_PARTS.join(', ')}` })
  .describe('Which part of the process');

const hold: Fault<PartOf, OnPart<'hold'>> = {
  what: 'Stops one part of a process until release, or until the process ends',
  shape: () => strict('hold', { on, part }),
  actions: ({ on, part }, door) =>
    each(door.members(['on'], on, 'running'), (member) => ({ type: 'hold', member, part })),
  apply: (world, action) => onProcess(world, action, holdStill),
  say: ({ member, part }) => ({ on: member, part }),
};

const release: Fault<Target | PartsOf, OnPart<'release'>> = {
  what: 'Lets held parts continue',
  shape: () =>
    targetOr(strict('release', { on, part: part.optional().describe('Which part; default: all that are held') })),
  actions: (input, door) => {
    const isShort = typeof input === 'string' || !('on' in input);
    const members = isShort ? door.members([], input, 'running') : door.members(['on'], input.on, 'running');
    const parts = isShort || input.part === undefined ? HOLDABLE_PARTS : [input.part];
    return members.flatMap((member) => parts.map((part) => ({ type: 'release' as const, member, part })));
  },
  apply: (world, action) => onProcess(world, action, letGo),
  say: ({ member, part }) => ({ on: member, part }),
};

/** Faults of one part of a process, while the rest continues. */
export const partFaults = {
  /** Stops one part of a process until `release`, or until the process ends. */
  hold,
  /** Lets a held part continue. Without `part`, releases all of them. */
  release,
};

function onProcess(
  world: World,
  { member, part }: OnPart<string>,
  happen: (world: World, process: Process, part: HoldablePart) => void,
): undefined {
  const { process } = world.member(member);
  if (process !== undefined) happen(world, process, part);
}

function holdStill(world: World, process: Process, part: HoldablePart): void {
  if (process.heldParts.has(part)) return;
  process.heldParts.set(part, []);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'partHeld', part });
}

/** Handles what has waited for the part, in order of arrival. */
function letGo(world: World, process: Process, part: HoldablePart): void {
  const waiting = process.heldParts.get(part);
  if (waiting === undefined) return;
  process.heldParts.delete(part);
  world.changed(process.member);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'partReleased', part });
  for (const { event, timer } of waiting) {
    if (event.type !== 'timer') world.schedule(0, eventDue(process, event));
    else if (process.timers.get(event.key) === timer)
      process.timers.set(event.key, world.schedule(0, eventDue(process, event)));
  }
  if (part === 'journal') world.schedule(0, writesReleasedDue(process));
}
