import { CommandError } from '@replsim/protocol';
import {
  absent,
  actionsOf,
  begins,
  compatibilityCommand,
  duration,
  either,
  FAULT_KINDS,
  type FaultAction,
  type FaultDoor,
  type FaultKind,
  type FaultPath,
  type FaultSender,
  type FaultTurn,
  faultShapes,
  issuesOf,
  isWanted,
  needsPrimary,
  type PlainIssue,
  plainIssues,
  type StartOptions,
  strict,
  TARGET_WORDS,
  type Target,
  type Wanted,
  wordsOf,
} from '@replsim/replset';
import * as z from 'zod';
import { durationMicros } from './durations.ts';
import { membersOf, type Peopled } from './targets.ts';

/** What whoever asks for faults is told. */
export interface FaultAnswer {
  /** How many connections of clients are meant, where the faults are about clients; those that come later count then. */
  readonly connections?: number;
  /** What the client who asked has to know of its own connections. */
  readonly note?: string;
}

/** Who asks for faults. */
interface Asking {
  /** What messages name. */
  readonly asked?: string;
  /** On whose connection; undefined for whoever has the set in hand. */
  readonly sender?: FaultSender | undefined;
}

/** A set that faults may befall. */
export interface Breakable extends Peopled {
  /** @returns how many connections of clients it was about; undefined where it was about none */
  act(action: FaultAction): Promise<number | undefined>;
  shutdown(member: string): Promise<void>;
  start(member: string, options?: StartOptions): Promise<void>;
  /** Over when the set has a primary, and this member is back. */
  settled(member: string): Promise<void>;
  untilPrimary(): Promise<string>;
  /** Sends the primary a command. @throws CommandError if it is refused */
  tellPrimary(command: object): Promise<void>;
}

/** Programs have numbers at hand, where people write `90s`. */
const durationOrMs = either('a duration such as "61s" or "1h30m", or a number of milliseconds', [duration, z.number()]);
const shapes = faultShapes({ duration: durationOrMs });

/**
 * Does what `replsimFault` asks for: one or more of a scenario's faults, in the order in which they are written.
 * @throws CommandError BadValue for a fault that there is not, NodeNotFound for a member that there is not
 */
export async function playFault(
  served: Breakable,
  fault: unknown,
  { asked = 'replsimFault', sender }: Asking = {},
): Promise<FaultAnswer> {
  const faults = readFaults(fault, asked);
  if (faults.length === 0)
    throw new CommandError('BadValue', `${asked} has no fault: use one of ${FAULT_KINDS.join(', ')}`);
  const meant: number[] = [];
  const notes = new Set<string>();
  for (const [kind, input] of faults) {
    if (needsPrimary(kind)) await served.untilPrimary();
    const door = new CommandDoor(served, asked, kind, sender);
    // One after the other, so that a recording has them in an order.
    for (const action of actionsOf(kind, input, door)) {
      const connections = await perform(served, action);
      if (connections !== undefined) meant.push(connections);
      if (sender !== undefined && action.type === 'clients') notes.add(ownNote(action, sender) ?? '');
    }
  }
  const note = [...notes].filter(Boolean).join('; ');
  return {
    ...(meant.length > 0 && { connections: meant.reduce((sum, each) => sum + each, 0) }),
    ...(note && { note }),
  };
}

/**
 * Whether the primary of now would stay primary by its own word for a while, though another is elected: it is paused, or cut off from half of
 * the members or more. Somebody who waits for a primary after such a fault waits for another one. Asked before the fault is done.
 * @param fault as `playFault` takes it
 */
export function leavesPrimaryBehind(served: Peopled, fault: unknown): boolean {
  const { primary } = served;
  if (primary === undefined || typeof fault !== 'object' || fault === null) return false;
  const { pause, partition, cut } = fault as Readonly<Record<string, unknown>>;
  if (pause !== undefined && named(served, pause).includes(primary)) return true;
  if (Array.isArray(partition)) return isAlone(served, besides(served, partition, primary).length);
  const { from, to } = (cut ?? {}) as { from?: unknown; to?: unknown };
  const [ones, others] = [named(served, from), named(served, to)];
  const cutOff = ones.includes(primary) ? others : others.includes(primary) ? ones : [];
  return isAlone(served, cutOff.filter((name) => name !== primary).length);
}

/** Who stands on another side of a partition than this member; those that no side names are a side of their own. */
function besides(served: Peopled, sides: readonly unknown[], name: string): readonly string[] {
  const all = sides.map((side) => named(served, side));
  const own = all.find((side) => side.includes(name));
  const others = own ?? served.set.memberNames.filter((each) => !all.flat().includes(each));
  return served.set.memberNames.filter((each) => !others.includes(each));
}

/** Whether a member that does not reach so many others is without a majority. */
function isAlone({ set }: Peopled, unreached: number): boolean {
  return (set.memberNames.length - unreached) * 2 <= set.memberNames.length;
}

/** Whom a target means now; nobody where it is wrong, which is said when the fault is done. */
function named(served: Peopled, target: unknown): readonly string[] {
  const words = Array.isArray(target) ? target : [target];
  const known = words.filter((word) => typeof word === 'string' && isTarget(served, word));
  return known.length === 0 ? [] : membersOf(served, known);
}

function isTarget({ set, primary }: Peopled, word: string): boolean {
  if (word === 'primary') return primary !== undefined;
  return set.memberNames.includes(word) || TARGET_WORDS.some((each) => each === word);
}

/** What a fault of clients means for the client who asked for it. */
function ownNote(
  { appName, except, change }: FaultAction & { type: 'clients' },
  sender: FaultSender,
): string | undefined {
  if (!begins(change)) return undefined;
  if (appName !== undefined)
    return appName === sender.appName
      ? `this connection is one of them: ${appName} is the appName of its own client`
      : undefined;
  if (sender.appName !== undefined && except?.includes(sender.appName))
    return `clients with the appName of this one, ${sender.appName}, are exempt`;
  return except?.includes(sender.connectionId)
    ? "this connection is exempt, but its client's others are not, nor those of its monitors: a client with an appName exempts them all"
    : undefined;
}

/** All that is asked for is right, or nothing of it is done. */
function readFaults(fault: unknown, asked: string): [FaultKind, unknown][] {
  const kinds = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, z.unknown().optional()]));
  check(strict(asked, kinds), fault, asked, []);
  return Object.entries(fault as Partial<Record<FaultKind, unknown>>).map(([key, given]) => {
    const kind = key as FaultKind;
    const input = given === undefined ? absent(kind) : given;
    check(shapes[kind], input, asked, [kind]);
    return [kind, input];
  });
}

function check(shape: z.ZodType, value: unknown, asked: string, path: FaultPath): void {
  const [issue] = plainIssues(issuesOf(shape, value), path);
  if (issue !== undefined) throw badValue(asked, issue);
}

/** Ports close and open with the processes behind them. */
async function perform(served: Breakable, action: FaultTurn): Promise<number | undefined> {
  if (action.type === 'settled') await served.settled(action.member);
  else if (action.type === 'compatibility') await served.tellPrimary(compatibilityCommand(action));
  else if (action.type === 'shutdown') await served.shutdown(action.member);
  else if (action.type === 'start') await served.start(action.member, action.options);
  else return served.act(action);
  return undefined;
}

/** Says where it is wrong, and what was probably meant. */
function badValue(asked: string, { path, key, message, suggestion }: PlainIssue): CommandError {
  const where = [...path, ...(key === undefined ? [] : [key])].join('.');
  // A method is called as its fault is.
  const place = path[0] === asked ? where : [asked, ...(where ? [where] : [])].join('.');
  return new CommandError('BadValue', `${place}: ${message}${suggestion === undefined ? '' : `; ${suggestion}`}`);
}

/** A set at work, which is told of a fault by a command or a method. */
class CommandDoor implements FaultDoor {
  readonly takesOneSide = true;
  readonly #served: Breakable;
  readonly #asked: string;
  readonly #kind: FaultKind;
  readonly sender: FaultSender | undefined;

  constructor(served: Breakable, asked: string, kind: FaultKind, sender: FaultSender | undefined) {
    this.sender = sender;
    this.#served = served;
    this.#asked = asked;
    this.#kind = kind;
  }

  /** Words pass over those that are not as wanted; the set itself says what is wrong with one that is named. */
  members(_at: FaultPath, target: Target, are?: Wanted): readonly string[] {
    const { set } = this.#served;
    const isNamed = (member: string) => wordsOf(target).includes(member);
    return membersOf(this.#served, target).filter(
      (member) => isNamed(member) || isWanted(set.status(member), are, false),
    );
  }

  durationMs(at: FaultPath, given: string | number): number {
    const isBack = String(given).startsWith('-');
    const size = typeof given === 'string' ? given.replace(/^-/, '') : Math.abs(given);
    const ms = durationMicros([this.#kind, ...at].join('.'), size) / 1000;
    return isBack ? -ms : ms;
  }

  document(_at: FaultPath, given: Record<string, unknown>): Record<string, unknown> {
    return given;
  }

  head(member: string): Readonly<Record<string, unknown>> {
    return this.#served.set.headOf(member);
  }

  mistake(at: FaultPath, message: string, suggestion?: string): never {
    throw badValue(this.#asked, { path: [this.#kind, ...at], message, suggestion });
  }

  nobody(_at: FaultPath, target: Target): never {
    throw new CommandError('BadValue', `nobody is left for the side ${wordsOf(target).join(', ')}`);
  }
}
