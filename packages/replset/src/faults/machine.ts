import { END_OF_CLOCKS_MS, formatDuration } from '@replsim/kernel';
import * as z from 'zod';
import type { DiskFaultSettings } from '../api.ts';
import { mustBeOnClock, wholeMilliseconds } from '../clockRange.ts';
import { moveAlarms } from '../timers.ts';
import type { World } from '../world.ts';
import { each, type Fault, type FaultDoor } from './fault.ts';
import { drift, flag, milliseconds, strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** Argument of the fault `clock`: what to change about wall clocks. Give at least one of `jump` and `drift`. */
export interface ClockFault {
  /** Whose clock. */
  readonly on: Target;
  /** Move the clock ahead by this duration, for example `"30s"` or milliseconds; `"-90s"` moves it back. */
  readonly jump?: string | number | undefined;
  /** From now on, the clock gains this many µs each second; a negative number loses them. */
  readonly drift?: number | undefined;
}

/** Argument of the fault `disk`: what to change about disks. Properties that are left out stay as they are. */
export interface DiskFault {
  /** Whose disk. */
  readonly on: Target;
  /** Extra time that each write takes; 0 ends it. Unit: ms. */
  readonly latencyMs?: number | undefined;
  /** True: the disk is full. The process ends at its next write and cannot start again until `full: false`. */
  readonly full?: boolean | undefined;
  /** Corrupts a bit on the disk, which is noticed at the next checkpoint or start. Only starting with `wipe` repairs it. */
  readonly corrupt?: true | undefined;
  /**
   * True: writes are reported done and stay in the disk's cache. If the process is killed, as by a power failure, they are gone, and it
   * does not know that. False: the cache is written.
   */
  readonly lost?: boolean | undefined;
  /** True: the next kill leaves the last record of the journal cut in half, although it was reported done. */
  readonly torn?: boolean | undefined;
  /** True: the journal's next write is reported done, but goes to another place of the disk and destroys what is there. */
  readonly misdirected?: boolean | undefined;
}

/** The new behaviour of one member's clock. */
export interface ClockChanged {
  readonly type: 'clock';
  readonly member: string;
  readonly jumpMs?: number;
  readonly driftPpm?: number;
}
/** The new behaviour of one member's disk. */
export interface DiskChanged {
  readonly type: 'disk';
  readonly member: string;
  readonly settings: DiskFaultSettings;
}

const clock: Fault<ClockFault, ClockChanged> = {
  what: 'Moves a wall clock ahead or back, or makes it run fast or slow',
  shape: ({ duration }) =>
    strict('clock', {
      on: target.describe('Whose clock'),
      jump: duration.optional().describe('Move it ahead by this much; -90s moves it back'),
      drift: drift.optional().describe('It gains this many microseconds each second from now on'),
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
  what: 'Makes a disk slow or full, lets it lie about its writes, ends that, or corrupts its data',
  shape: () =>
    strict('disk', {
      on: target.describe('Whose disk'),
      latencyMs: milliseconds.optional().describe('Extra time of each write; 0 ends it'),
      full: flag.optional().describe('true: no room for another write; false: room again'),
      corrupt: z
        .literal(true, { error: 'only true: to repair a corrupt disk, start the member with wipe' })
        .optional()
        .describe('A bit of the data flips; only a start with wipe repairs that'),
      lost: flag
        .optional()
        .describe('true: writes stay in its cache, and a kill loses them; false: the cache is written'),
      torn: flag.optional().describe('true: the next kill cuts the last record of the journal in half'),
      misdirected: flag
        .optional()
        .describe('true: the next write of the journal goes to another place, and destroys what is there'),
    }),
  actions: ({ on, ...settings }, door) => {
    if (Object.keys(settings).length === 0)
      door.mistake([], 'this disk step has no effect', 'latencyMs, full, corrupt, lost, torn or misdirected');
    return each(door.members(['on'], on), (member) => ({
      type: 'disk',
      member,
      settings: settings as DiskFaultSettings,
    }));
  },
  apply: (world, { member: name, settings }) => {
    const member = world.member(name);
    return async () => {
      const { latencyMs, full, corrupt, lost, torn, misdirected } = settings;
      if (latencyMs !== undefined) member.diskFaults.latencyMs = latencyMs;
      if (full !== undefined) member.diskFaults.full = full;
      if (torn !== undefined) member.diskFaults.torn = torn;
      if (misdirected !== undefined) member.diskFaults.misdirected = misdirected;
      if (lost !== undefined) {
        member.diskFaults.lost = lost;
        member.disk.caches(lost);
      }
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

/** Faults of the machine that a member runs on. */
export const machineFaults = {
  /** Moves a wall clock ahead or back, or makes it run fast or slow. */
  clock,
  /** Makes a disk slow or full, lets it lie about its writes, ends that, or corrupts its data. */
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
