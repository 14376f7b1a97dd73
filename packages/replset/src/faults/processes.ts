import { CommandError, type MongodVersion, VERSIONS } from '@replsim/protocol';
import * as z from 'zod';
import type { StartOptions } from '../api.ts';
import { eventDue, resumedDue } from '../due.ts';
import type { Process } from '../member.ts';
import { keptRefusals } from '../parameterRefusal.ts';
import { headOf, startMember } from '../startup.ts';
import { stop } from '../stop.ts';
import type { World } from '../world.ts';
import { each, type Fault, type FaultDoor, type FaultForm, type FaultPath } from './fault.ts';
import { document, either, flag, keyFile, strict, target, targetOr, text } from './shapes.ts';
import type { Target } from './targets.ts';

/** Argument of the faults `start` and `restart`: which members to start, and how. */
export interface StartRequest {
  /** The members to start. */
  readonly member: Target;
  /** Start as a standalone, or as a member of a different set. Default: as a member of its own set. */
  readonly as?: 'standalone' | { readonly replSet: string } | undefined;
  /** Delete the member's data first. Default: false. */
  readonly wipe?: boolean | undefined;
  /** Start with `--queryableBackupMode`: nothing is written and nothing expires. Default: false. */
  readonly queryableBackupMode?: boolean | undefined;
  /** `setParameter` values at startup. */
  readonly parameters?: Record<string, unknown> | undefined;
  /** The MongoDB release that the member imitates from now on. */
  readonly version?: MongodVersion | undefined;
  /** What its key file holds from now on: a key, or two. */
  readonly keyFile?: string | readonly string[] | undefined;
}

/** A fault of one member. */
export interface OnMember<Type extends string> {
  readonly type: Type;
  readonly member: string;
}
export type Start = OnMember<'start'> & { readonly options?: StartOptions };

const releases = Object.keys(VERSIONS) as [MongodVersion, ...MongodVersion[]];

/** The fields of a start, for scenario steps and for commands. */
export const startShape = {
  member: target.describe('Which members to start'),
  as: either('standalone or { replSet: NAME }', [
    z.literal('standalone'),
    strict('as', { replSet: text.describe('The name of another set') }),
  ])
    .optional()
    .describe('Start as something other than a member of its set'),
  wipe: flag.optional().describe('Delete its data first'),
  queryableBackupMode: flag.optional().describe('Start read-only, to look into a backup'),
  parameters: document.optional().describe('setParameter at startup'),
  version: z
    .enum(releases, { error: `expected one of ${releases.map((name) => `"${name}"`).join(', ')}, in quotes` })
    .optional()
    .describe('The release that it imitates from now on'),
  keyFile: keyFile.optional(),
};

/** A fault of running processes. It has no effect on a process that is not running. */
function ofRunning<Type extends string>(
  type: Type,
  what: string,
  happen: (world: World, process: Process) => void,
): Fault<Target, OnMember<Type>> {
  return {
    what,
    shape: () => target,
    actions: (on, door) => each(door.members([], on, 'running'), (member) => ({ type, member })),
    apply: (world, { member }) => {
      const { process } = world.member(member);
      if (process !== undefined) happen(world, process);
      return undefined;
    },
    say: ({ member }) => member,
  };
}

const start: Fault<Target | StartRequest, Start> = {
  what: 'Starts a process that has ended, with the data that it left',
  shape: () => targetOr(strict('start', startShape)),
  actions: (input, door) => starts(input, door.members(...startedBy(input), 'stopped'), door),
  apply: (world, { member, options = {} }) => {
    const started = world.member(member);
    const [refusal] = keptRefusals(headOf(world, member), options);
    if (refusal !== undefined) throw new CommandError('BadValue', `${refusal.message}; ${refusal.suggestion}`);
    // The script may continue while the disk is being opened.
    const { cause } = world.queue;
    return () => startMember(world, started, options, cause);
  },
  say: ({ member, options = {} }) => {
    const said = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
    return said.length === 0 ? member : { member, ...Object.fromEntries(said) };
  },
};

const restart: FaultForm<Target | StartRequest, OnMember<'shutdown'> | Start> = {
  what: 'Shuts a process down cleanly, then starts it',
  shape: () => targetOr(strict('restart', startShape)),
  actions: (input, door) => {
    // Resolve the target first, because members that have shut down no longer count as secondaries.
    const members = door.members(...startedBy(input));
    const ended = each(members, (member) => ({ type: 'shutdown', member }) as const);
    return [...ended, ...starts(input, members, door)];
  },
};

/** Faults of a member's whole process. */
export const processFaults = {
  /** Sends SIGKILL: data that was not flushed to disk is lost. */
  kill: ofRunning('kill', 'SIGKILL: data that was not flushed is lost', (world, process) =>
    stop(world, process, 'killed'),
  ),
  /** Sends SIGTERM for a clean shutdown. Resolves when the process has ended. */
  shutdown: ofRunning('shutdown', 'SIGTERM: a clean shutdown, complete when the process has ended', terminate),
  /** Starts a stopped process with the data that it left. As with mongod, startup can fail. */
  start,
  /** Shuts a process down cleanly, then starts it. */
  restart,
  /** Sends SIGSTOP: the process is suspended. Messages and expired timers wait for it. */
  pause: ofRunning('pause', 'SIGSTOP: the process is suspended, and messages for it wait', pause),
  /** Sends SIGCONT: the process handles everything that has waited, in order of arrival. */
  resume: ofRunning('resume', 'SIGCONT: everything that has waited happens now, in order', resume),
};

/** The path of the target within the input, and the target itself. */
function startedBy(input: Target | StartRequest): [at: FaultPath, on: Target] {
  return isTarget(input) ? [[], input] : [['member'], input.member];
}

function isTarget(input: Target | StartRequest): input is Target {
  return typeof input === 'string' || Array.isArray(input);
}

/** @param at the path of the map within the fault */
export function starts(
  input: Target | StartRequest,
  members: readonly string[],
  door: FaultDoor,
  at: FaultPath = [],
): Start[] {
  const { as, parameters, wipe, queryableBackupMode, version, keyFile } = isTarget(input)
    ? ({} as Partial<StartRequest>)
    : input;
  return each(members, (member) => {
    for (const { message, suggestion } of keptRefusals({ ...door.head?.(member) }, { version, parameters }))
      door.mistake([...at, 'version'], message, suggestion);
    const options: StartOptions = {
      ...(as !== undefined && { as }),
      ...(parameters !== undefined && { parameters: door.document([...at, 'parameters'], parameters, member) }),
      ...(wipe && { wipe }),
      ...(queryableBackupMode && { queryableBackupMode }),
      ...(version !== undefined && { version }),
      ...(keyFile !== undefined && { keys: [keyFile].flat() }),
    };
    return { type: 'start', member, ...(Object.keys(options).length > 0 && { options }) };
  });
}

function terminate(world: World, process: Process): void {
  world.schedule(0, eventDue(process, { type: 'terminate' }));
}

function pause(world: World, process: Process): void {
  if (process.paused) return;
  process.paused = true;
  world.changed(process.member);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'processPaused' });
}

/** The next event at this instant handles what has waited. */
function resume(world: World, process: Process): void {
  if (!process.paused) return;
  process.paused = false;
  world.changed(process.member);
  world.recorder.member(world.nowMicros, process.member.name, { type: 'processResumed' });
  world.schedule(0, resumedDue(process));
}
