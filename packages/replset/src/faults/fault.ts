import type * as z from 'zod';
import type { MemberStatus } from '../api.ts';
import type { World } from '../world.ts';
import { TARGET_WORDS, type Target, wordsOf } from './targets.ts';

/** The path of a value inside a fault's argument. */
export type FaultPath = readonly (string | number)[];

/** How a door, an interface through which faults arrive, spells values that have several forms. */
export interface Spelling {
  readonly duration: z.ZodType<string | number>;
}

/** The state in which a fault needs members. `bearing data` means running, and not an arbiter. */
export type Wanted = 'running' | 'stopped' | 'bearing data';

/** Whether a member is in the wanted state. @param named an arbiter that the user names passes, so that it can refuse by itself */
export function isWanted(
  { running, saysArbiter }: Pick<MemberStatus, 'running' | 'saysArbiter'>,
  are: Wanted | undefined,
  named: boolean,
): boolean {
  if (are === undefined) return true;
  if (are === 'stopped') return !running;
  return running && (are === 'running' || named || saysArbiter !== true);
}

/**
 * The interface through which a fault arrives (a scenario, a method, a command). It resolves targets and reports mistakes to the
 * author of the fault.
 */
export interface FaultDoor {
  /** Whether a partition with a single group means that group and the rest. */
  readonly takesOneSide: boolean;
  /** Resolves a target. @param are include only members in this state; the door decides whether that holds for named members too */
  members(at: FaultPath, target: Target, are?: Wanted): readonly string[];
  /** Reads a duration in the form that this door accepts. Unit: ms. */
  durationMs(at: FaultPath, given: string | number): number;
  /** Returns a document with its placeholders filled in. @param member the member that will receive it */
  document(at: FaultPath, given: Record<string, unknown>, member: string): Readonly<Record<string, unknown>>;
  /** Reports a mistake. If the door returns, the resulting actions are discarded. */
  mistake(at: FaultPath, message: string, suggestion?: string): void;
  /** Parameters that this member always starts with; undefined for a door that checks them itself. */
  head?(member: string): Readonly<Record<string, unknown>>;
  /** The connection that asked for the fault; undefined if the request came from outside the set. */
  readonly sender?: FaultSender | undefined;
  /** Reports that no suitable member is left in a target. Otherwise like `mistake`. */
  nobody(at: FaultPath, target: Target): void;
}

/** The client connection that asked for a fault. */
export interface FaultSender {
  readonly member: string;
  readonly connectionId: number;
  readonly appName: string | undefined;
}

/** Waits for a disk. Virtual time stands still meanwhile. */
export type Waits = () => Promise<void>;

/** The argument of a fault and the actions it results in. A fault that is a sequence of others consists of nothing else. */
export interface FaultForm<Input, Action> {
  /** A description, for editors and the reference. */
  readonly what: string;
  readonly shape: (spelling: Spelling) => z.ZodType<Input>;
  /** The default argument, if there is one. */
  readonly absent?: Input;
  /** Whether the door waits for a primary before it resolves targets. */
  readonly needsPrimary?: true;
  /** Returns the resulting actions in order, and reports mistakes that the shape cannot express. */
  readonly actions: (input: Input, door: FaultDoor) => readonly Action[];
}

/**
 * One fault: its argument, the actions it results in, how to carry them out, and how to write them down again.
 * `Input` is what the user writes; `Action` is one thing that happens to a set, with its members given by name.
 */
export interface Fault<Input, Action> extends FaultForm<Input, Action> {
  /**
   * Carries out the action at once.
   * @returns what remains to be awaited
   * @throws RangeError if there is no such member
   */
  readonly apply: (world: World, action: Action) => Waits | undefined;
  /** The number of client connections that it applies to, for faults that report it. */
  readonly connections?: (world: World, action: Action) => number;
  /** The action as the value of a scenario step, for recordings. */
  readonly say: (action: Action) => unknown;
}

/** A wait until this member is part of a working set. */
export interface Settled {
  readonly type: 'settled';
  readonly member: string;
}

/** Sets the feature compatibility version on the primary, and waits until it is set. */
export interface Compatibility {
  readonly type: 'compatibility';
  readonly version: string;
}

/** The command that is sent to the primary. */
export function compatibilityCommand({ version }: Compatibility): object {
  return { setFeatureCompatibilityVersion: version, confirm: true };
}

/** One action for each member. */
export function each<Action>(members: readonly string[], act: (member: string) => Action): Action[] {
  return members.map(act);
}

/** The links from some members to others. */
export interface Ends {
  readonly from: Target;
  readonly to: Target;
}

/** One action for each link from one member to another. */
export function eachWay<Action>(
  { from, to }: Ends,
  door: FaultDoor,
  act: (from: string, to: string) => Action,
): Action[] {
  const ends = door.members(['to'], to);
  const ways = door
    .members(['from'], from)
    .flatMap((one) => ends.filter((other) => other !== one).map((other) => act(one, other)));
  // Before the run a word may still come to mean others.
  if (ways.length === 0 && !ends.some(isWord)) noWay(['to'], door);
  return ways;
}

function isWord(name: string): boolean {
  return TARGET_WORDS.some((each) => each === name);
}

function noWay(at: FaultPath, door: FaultDoor): void {
  door.mistake(at, 'a member has no link to itself', 'name two members');
}

/** One action for each way between members of different places, there and back; each way once. */
export function bothWays<Action>(
  places: readonly Target[],
  door: FaultDoor,
  act: (from: string, to: string) => Action,
): Action[] {
  const members = places.map((place, index) => door.members(['between', index], place));
  const ways = new Map<string, Action>();
  for (const [i, here] of members.entries())
    for (const [j, there] of members.entries())
      for (const from of i === j ? [] : here)
        for (const to of there) {
          const way = JSON.stringify([from, to]);
          if (from !== to && !ways.has(way)) ways.set(way, act(from, to));
        }
  if (ways.size === 0 && !members.flat().some(isWord)) noWay(['between'], door);
  return [...ways.values()];
}

/** The sides of a partition; a word stands for those whom no side names, and no earlier side has. */
export function sidesOf(sides: readonly Target[], door: FaultDoor): string[][] {
  if (sides.length < 2 && !door.takesOneSide) door.mistake([], 'a partition has at least two sides: [[n1, n2], [n3]]');
  const written = new Set<string>();
  for (const [i, side] of sides.entries()) {
    for (const [j, word] of wordsOf(side).entries()) {
      if (written.has(word))
        door.mistake(typeof side === 'string' ? [i] : [i, j], `${word} is on two sides`, 'name it on one of them');
      written.add(word);
    }
  }
  const placed = new Set<string>();
  return sides.map((side, i) => {
    const isHere = (member: string) => wordsOf(side).includes(member) || !written.has(member);
    const group = door.members([i], side).filter((member) => !placed.has(member) && isHere(member));
    for (const member of group) placed.add(member);
    if (group.length === 0) door.nobody([i], side);
    return group;
  });
}
