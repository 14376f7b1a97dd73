import { CommandError } from '@replsim/protocol';
import {
  absent,
  actionsOf,
  compatibilityCommand,
  duration,
  either,
  FAULT_KINDS,
  type FaultAction,
  type FaultDoor,
  type FaultKind,
  type FaultPath,
  type FaultTurn,
  faultShapes,
  isWanted,
  needsPrimary,
  type PlainIssue,
  plainIssues,
  type StartOptions,
  strict,
  type Target,
  type Wanted,
  wordsOf,
} from '@replsim/replset';
import * as z from 'zod';
import { durationMicros } from './durations.ts';
import { membersOf, type Peopled } from './targets.ts';

/** A set that faults may befall. */
export interface Breakable extends Peopled {
  act(action: FaultAction): Promise<void>;
  shutdown(member: string): Promise<void>;
  start(member: string, options?: StartOptions): Promise<void>;
  /** Over when the set has a primary, and this member is back. */
  settled(member: string): Promise<void>;
  untilPrimary(): Promise<string>;
  /** Sends the primary a command. @throws CommandError if it is refused */
  tellPrimary(command: object): Promise<void>;
}

/** Programs have numbers at hand, where people write `90s`. */
const durationOrMs = either('a duration, as "61s" or "1h30m", or a number of milliseconds', [duration, z.number()]);
const shapes = faultShapes({ duration: durationOrMs });

/**
 * Does what `replsimFault` asks for: one or more of a scenario's faults, in the order in which they are written.
 * @param asked what messages name
 * @throws CommandError BadValue for a fault that there is not, NodeNotFound for a member that there is not
 */
export async function playFault(served: Breakable, fault: unknown, asked = 'replsimFault'): Promise<void> {
  const faults = readFaults(fault, asked);
  if (faults.length === 0)
    throw new CommandError('BadValue', `${asked} names no fault: one of ${FAULT_KINDS.join(', ')}`);
  for (const [kind, input] of faults) {
    if (needsPrimary(kind)) await served.untilPrimary();
    const door = new CommandDoor(served, asked, kind);
    // One after the other, so that a recording has them in an order.
    for (const action of actionsOf(kind, input, door)) await perform(served, action);
  }
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
  const [issue] = plainIssues(shape.safeParse(value, { reportInput: true }).error?.issues ?? [], path);
  if (issue !== undefined) throw badValue(asked, issue);
}

/** Ports close and open with the processes behind them. */
function perform(served: Breakable, action: FaultTurn): Promise<void> {
  if (action.type === 'settled') return served.settled(action.member);
  if (action.type === 'compatibility') return served.tellPrimary(compatibilityCommand(action));
  if (action.type === 'shutdown') return served.shutdown(action.member);
  return action.type === 'start' ? served.start(action.member, action.options) : served.act(action);
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

  constructor(served: Breakable, asked: string, kind: FaultKind) {
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

  mistake(at: FaultPath, message: string, suggestion?: string): never {
    throw badValue(this.#asked, { path: [this.#kind, ...at], message, suggestion });
  }

  nobody(_at: FaultPath, target: Target): never {
    throw new CommandError('BadValue', `nobody is left for the side ${wordsOf(target).join(', ')}`);
  }
}
