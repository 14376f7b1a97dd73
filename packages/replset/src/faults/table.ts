import type * as z from 'zod';
import type { World } from '../world.ts';
import { clientFaults } from './clients.ts';
import type { Compatibility, Fault, FaultDoor, FaultForm, Settled, Spelling, Waits } from './fault.ts';
import { partFaults } from './heldParts.ts';
import { machineFaults } from './machine.ts';
import { networkFaults } from './network.ts';
import { oplogFaults } from './oplog.ts';
import { processFaults } from './processes.ts';
import { rollingFaults } from './rolling.ts';

/**
 * Everything that can be done to a set from outside besides talking to it. Scenario steps, recordings, the command
 * `replsimFault` and the methods of `ReplicaSet` are all made of this table.
 */
export const FAULTS = {
  ...processFaults,
  ...rollingFaults,
  ...partFaults,
  ...oplogFaults,
  ...networkFaults,
  ...clientFaults,
  ...machineFaults,
};

type Table = typeof FAULTS;
/** What a fault is called. */
export type FaultKind = keyof Table;
/** What people write of each fault. */
export type FaultInputs = {
  [Kind in FaultKind]: Table[Kind] extends { actions: (input: infer Input, door: FaultDoor) => unknown }
    ? Input
    : never;
};
/** One thing that happens to a set from outside, with members by name. */
export type FaultAction = {
  [Kind in FaultKind]: Table[Kind] extends { apply: (world: World, action: infer Action) => unknown } ? Action : never;
}[FaultKind];

/** One thing that a fault comes to: it happens, is waited for, or is asked of the set. */
export type FaultTurn = FaultAction | Settled | Compatibility;

/** Their names by what they befall, for whoever lists them. */
export const FAULT_GROUPS = {
  processes: Object.keys({ ...processFaults, ...rollingFaults, ...partFaults }),
  network: Object.keys({ ...networkFaults, ...clientFaults }),
  machines: Object.keys({ ...machineFaults, ...oplogFaults }),
};

/** In the order in which people read of them. */
export const FAULT_KINDS = Object.keys(FAULTS) as readonly FaultKind[];
type AnyForm = FaultForm<unknown, FaultTurn>;
type AnyFault = Fault<unknown, FaultAction>;

/** The shapes of all faults, for a door that spells so. */
export function faultShapes(spelling: Spelling): Record<FaultKind, z.ZodType> {
  const shapes = FAULT_KINDS.map((kind) => [kind, FAULTS[kind].shape(spelling).describe(FAULTS[kind].what)]);
  return Object.fromEntries(shapes) as Record<FaultKind, z.ZodType>;
}

/** What is meant where nothing is written of a fault; undefined if something must be. */
export function absent(kind: FaultKind): unknown {
  return (FAULTS[kind] as unknown as AnyForm).absent;
}

/** Whether it begins only when somebody accepts writes. */
export function needsPrimary(kind: FaultKind): boolean {
  return (FAULTS[kind] as unknown as AnyForm).needsPrimary === true;
}

/** What a fault comes to, in order. @param input what its shape has found right */
export function actionsOf(kind: FaultKind, input: unknown, door: FaultDoor): readonly FaultTurn[] {
  return (FAULTS[kind] as unknown as AnyForm).actions(input, door);
}

/** Whether a fault is called so. */
export function isFault(kind: string): kind is FaultKind {
  return Object.hasOwn(FAULTS, kind);
}

/** Whether it is one thing that happens at an instant, and not several with time between them. */
export function isAction(kind: FaultKind): kind is FaultAction['type'] {
  return 'apply' in FAULTS[kind];
}

/** Does it. @returns what else has to be waited for @throws RangeError for a member that there is not */
export function applyFault(world: World, action: FaultAction): Waits | undefined {
  return (FAULTS[action.type] as unknown as AnyFault).apply(world, action);
}

/** How many connections of clients it is about; undefined where it is about none. */
export function connectionsMeant(world: World, action: FaultAction): number | undefined {
  return (FAULTS[action.type] as unknown as AnyFault).connections?.(world, action);
}

/** What a step says that does it: `{ kill: n1 }` has the value `n1`. */
export function saidOf(action: FaultAction): unknown {
  return (FAULTS[action.type] as unknown as AnyFault).say(action);
}

/** A fault in a few words, as a step says it: `kill: n1`. */
export function faultText(action: FaultAction): string {
  return `${action.type}: ${JSON.stringify(saidOf(action)).replaceAll('"', '')}`;
}
