import { END_OF_CLOCKS_MS, formatDuration } from '@replsim/kernel';
import * as z from 'zod';
import type { DiskFaultSettings } from '../api.ts';
import { mustBeOnClock, wholeMilliseconds } from '../clockRange.ts';
import { moveAlarms } from '../timers.ts';
import type { World } from '../world.ts';
import { each, type Fault, type FaultDoor } from './fault.ts';
import { drift, flag, milliseconds, strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** What is wrong with a wall clock. */
export interface ClockFault {
  readonly on: Target;
  /** Ahead by so much; `"-90s"` is back. */
  readonly jump?: string | number | undefined;
  /** µs gained in each second. */
  readonly drift?: number | undefined;
}

/** What is wrong with a disk; what is not named stays as it is. */
export interface DiskFault {
  readonly on: Target;
  /** What each write takes longer; 0 mends it. */
  readonly latencyMs?: number | undefined;
  /** The process stops at its next write, and cannot be started until there is room again. */
  readonly full?: boolean | undefined;
  /** Changes a bit of what is on the disk: noticed at the next checkpoint or start. Only a `wipe` mends it. */
  readonly corrupt?: true | undefined;
}

/** What one member's clock does from now on. */
export interface ClockChanged {
  readonly type: 'clock';
  readonly member: string;
  readonly jumpMs?: number;
  readonly driftPpm?: number;
}
/** What one member's disk does from now on. */
export interface DiskChanged {
  readonly type: 'disk';
  readonly member: string;
  readonly settings: DiskFaultSettings;
}

const clock: Fault<ClockFault, ClockChanged> = {
  what: 'Puts a wall clock ahead or back, or makes it go fast or slow',
  shape: ({ duration }) =>
    strict('clock', {
      on: target.describe('Whose clock'),
      jump: duration.optional().describe('Ahead by so much; -90s is back'),
      drift: drift.optional().describe('Gains so many microseconds a second from now on'),
    }),
  actions: ({ on, jump, drift }, door) => {
    if (jump === undefined && drift === undefined)
      door.mistake([], 'a clock step has either "jump" or "drift"', 'jump: 90s, or drift: 50 (parts per million)');
    const jumpMs = jump === undefined ? undefined : door.durationMs(['jump'], jump);
    if (jumpMs !== undefined) checkJump(jumpMs, door);
    const change = {
      ...(jumpMs !== undefined && { jumpMs }),
      ...(drift !== undefined && { driftPpm: drift }),
    };
    return each(door.members(['on'], on), (member) => ({ type: 'clock', member, ...change }));
  },
  apply: (world, { member, jumpMs, driftPpm }) => {
    if (jumpMs !== undefined) jump(world, member, jumpMs);
    if (driftPpm !== undefined) driftFrom(world, member, driftPpm);
    return undefined;
  },
  say: ({ member, jumpMs, driftPpm }) => ({
    on: member,
    jump: jumpMs === undefined ? undefined : formatDuration(Math.round(jumpMs * 1000)),
    drift: driftPpm,
  }),
};

const disk: Fault<DiskFault, DiskChanged> = {
  what: 'Makes a disk slow or full, or mends that; or damages what is on it',
  shape: () =>
    strict('disk', {
      on: target.describe('Whose disk'),
      latencyMs: milliseconds.optional().describe('What each write takes longer'),
      full: flag.optional().describe('true: no room for another write; false: room again'),
      corrupt: z
        .literal(true, { error: 'only true: a damaged disk is mended by start with wipe' })
        .optional()
        .describe('A bit of what was written is lost; only a start with wipe mends that'),
    }),
  actions: ({ on, ...settings }, door) => {
    if (Object.keys(settings).length === 0)
      door.mistake([], 'this disk step has no effect', 'latencyMs, full or corrupt');
    return each(door.members(['on'], on), (member) => ({
      type: 'disk',
      member,
      settings: settings as DiskFaultSettings,
    }));
  },
  apply: (world, { member: name, settings }) => {
    const member = world.member(name);
    return async () => {
      const { latencyMs, full, corrupt } = settings;
      if (latencyMs !== undefined) member.diskFaults.latencyMs = latencyMs;
      if (full !== undefined) member.diskFaults.full = full;
      if (corrupt) {
        member.diskFaults.corrupt = true;
        await member.disk.corrupt();
      }
      world.changed(member);
      world.recorder.member(world.nowMicros, name, { type: 'diskChanged', ...settings });
    };
  },
  say: ({ member, settings }) => ({ on: member, ...settings }),
};

/** What befalls the machine that a member runs on. */
export const machineFaults = {
  /** Puts a wall clock ahead or back, or makes it go fast or slow. */
  clock,
  /** Makes a disk slow or full, or mends that; or damages what is on it. */
  disk,
};

function checkJump(jumpMs: number, door: FaultDoor): void {
  if (!Number.isInteger(jumpMs)) door.mistake(['jump'], ...wholeMilliseconds(jumpMs));
  if (Math.abs(jumpMs) >= END_OF_CLOCKS_MS)
    door.mistake(['jump'], 'no clock jumps so far: clocks go from 1970 to 2106', 'choose a shorter jump');
}

function jump(world: World, name: string, jumpMs: number): void {
  const { nowMicros } = world;
  const member = world.member(name);
  mustBeOnClock(name, member.clock.wallMs(nowMicros) + jumpMs);
  member.clock.jump(nowMicros, jumpMs);
  world.clocksChanged();
  if (member.process) moveAlarms(world, member.process);
  world.changed(member);
  world.recorder.member(nowMicros, name, { type: 'clockChanged', jumpMs, wallMs: member.clock.wallMs(nowMicros) });
}

function driftFrom(world: World, name: string, driftPpm: number): void {
  const { nowMicros } = world;
  const member = world.member(name);
  member.clock.setDrift(nowMicros, driftPpm);
  world.clocksChanged();
  if (member.process) moveAlarms(world, member.process);
  world.changed(member);
  world.recorder.member(nowMicros, name, { type: 'clockChanged', driftPpm, wallMs: member.clock.wallMs(nowMicros) });
}
