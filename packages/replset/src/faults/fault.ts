import type * as z from 'zod';
import type { MemberStatus } from '../api.ts';
import type { World } from '../world.ts';
import { TARGET_WORDS, type Target, wordsOf } from './targets.ts';

/** Where something stands inside a fault as it was written. */
export type FaultPath = readonly (string | number)[];

/** How the door through which faults come spells values that have several forms. */
export interface Spelling {
  readonly duration: z.ZodType<string | number>;
}

/** As what members are wanted: data bearers run, and are no arbiters. */
export type Wanted = 'running' | 'stopped' | 'bearing data';

/** Whether a member is as it is wanted. @param named an arbiter that is named has to say itself that it cannot */
export function isWanted(
  { running, saysArbiter }: Pick<MemberStatus, 'running' | 'saysArbiter'>,
  are: Wanted | undefined,
  named: boolean,
): boolean {
  if (are === undefined) return true;
  if (are === 'stopped') return !running;
  return running && (are === 'running' || named || saysArbiter !== true);
}

/** The door through which a fault comes: it knows who is meant, and tells what is wrong to whoever wrote it. */
export interface FaultDoor {
  /** One side of a partition stands for that side and the rest. */
  readonly takesOneSide: boolean;
  /** Who is meant. @param are only such members; one that is named may be otherwise, if the door lets it pass */
  members(at: FaultPath, target: Target, are?: Wanted): readonly string[];
  /** A duration in whatever form this door takes. Unit: ms. */
  durationMs(at: FaultPath, given: string | number): number;
  /** A document with what stands in it for other values filled in. @param member the one that will be handed it */
  document(at: FaultPath, given: Record<string, unknown>, member: string): Readonly<Record<string, unknown>>;
  /** The fault cannot be meant. A door that goes on after this does nothing of what comes of it. */
  mistake(at: FaultPath, message: string, suggestion?: string): void;
  /** The parameters with which this member is started, whatever a start says; undefined for a door that judges them itself. */
  head?(member: string): Readonly<Record<string, unknown>>;
  /** The connection on which the fault was asked for; undefined for whoever stands outside. */
  readonly sender?: FaultSender | undefined;
  /** Of those whom the target means nobody is left. As `mistake`. */
  nobody(at: FaultPath, target: Target): void;
}

/** A client that asks for a fault on a connection of its own. */
export interface FaultSender {
  readonly member: string;
  readonly connectionId: number;
  readonly appName: string | undefined;
}

/** What waits for a disk, while time stands still. */
export type Waits = () => Promise<void>;

/** How a fault is written, and what it comes to: one that is several others, one after the other, is no more than this. */
export interface FaultForm<Input, Action> {
  /** What happens, as editors and the reference say it. */
  readonly what: string;
  readonly shape: (spelling: Spelling) => z.ZodType<Input>;
  /** What is meant where nothing is written. */
  readonly absent?: Input;
  /** The door waits for a primary before it looks for who is meant. */
  readonly needsPrimary?: true;
  /** What it comes to, in order; and what is wrong with it beyond its shape. */
  readonly actions: (input: Input, door: FaultDoor) => readonly Action[];
}

/**
 * One fault: how it is written, what it comes to, how that is done, and how it is written down again.
 * `Input` is what people write; `Action` is one thing that happens to a set, with members by name.
 */
export interface Fault<Input, Action> extends FaultForm<Input, Action> {
  /**
   * Does it, at once.
   * @returns what else has to be waited for
   * @throws RangeError for a member that there is not
   */
  readonly apply: (world: World, action: Action) => Waits | undefined;
  /** How many connections of clients it is about, where that is what whoever asks for it is told. */
  readonly connections?: (world: World, action: Action) => number;
  /** The action as a step spells it; from this a recording is made. */
  readonly say: (action: Action) => unknown;
}

/** Nothing is done; what comes next waits until this member is one of a set at work. */
export interface Settled {
  readonly type: 'settled';
  readonly member: string;
}

/** The primary is told which feature compatibility version its set has from now on; it waits for that. */
export interface Compatibility {
  readonly type: 'compatibility';
  readonly version: string;
}

/** What the primary is sent for this. */
export function compatibilityCommand({ version }: Compatibility): object {
  return { setFeatureCompatibilityVersion: version, confirm: true };
}

/** One action for each member. */
export function each<Action>(members: readonly string[], act: (member: string) => Action): Action[] {
  return members.map(act);
}

/** The ways from some members to others. */
export interface Ends {
  readonly from: Target;
  readonly to: Target;
}

/** One action for each way between two members. */
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
  return (TARGET_WORDS as readonly string[]).includes(name);
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
