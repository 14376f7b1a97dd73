import type * as z from 'zod';
import type { World } from '../world.ts';
import { clientFaults } from './clients.ts';
import type { Compatibility, Fault, FaultDoor, FaultForm, Settled, Spelling, Waits } from './fault.ts';
import { partFaults } from './heldParts.ts';
import { machineFaults } from './machine.ts';
import { networkFaults } from './network.ts';
import { oplogFaults } from './oplog.ts';
import { processFaults } from './processes.ts';
import { processorFaults } from './processor.ts';
import { rollingFaults } from './rolling.ts';

/**
 * Every fault: everything that can be done to a set from outside, apart from sending it commands. Scenario steps, recordings, the
 * command `replsimFault` and the methods of `ReplicaSet` are all derived from this table.
 */
export const FAULTS = {
  ...processFaults,
  ...rollingFaults,
  ...partFaults,
  ...oplogFaults,
  ...networkFaults,
  ...clientFaults,
  ...machineFaults,
  ...processorFaults,
};

type Table = typeof FAULTS;
/** Name of a fault. */
export type FaultKind = keyof Table;
/** The argument of each fault, as a user writes it. */
export type FaultInputs = {
  [Kind in FaultKind]: Table[Kind] extends { actions: (input: infer Input, door: FaultDoor) => unknown }
    ? Input
    : never;
};
/** One thing that happens to a set from outside, with its members given by name. */
export type FaultAction = {
  [Kind in FaultKind]: Table[Kind] extends { apply: (world: World, action: infer Action) => unknown } ? Action : never;
}[FaultKind];

/** One stage of a fault: an action, a wait, or a command to the set. */
export type FaultTurn = FaultAction | Settled | Compatibility;

/** Names of the faults, grouped by what they affect, for listings. */
export const FAULT_GROUPS = {
  processes: Object.keys({ ...processFaults, ...rollingFaults, ...partFaults }),
  network: Object.keys({ ...networkFaults, ...clientFaults }),
  machines: Object.keys({ ...machineFaults, ...processorFaults, ...oplogFaults }),
};

/** In the order in which docs list them. */
export const FAULT_KINDS = Object.keys(FAULTS) as readonly FaultKind[];
type AnyForm = FaultForm<unknown, FaultTurn>;
type AnyFault = Fault<unknown, FaultAction>;

/** The shapes of all faults, for a door with this spelling. */
export function faultShapes(spelling: Spelling): Record<FaultKind, z.ZodType> {
  const shapes = FAULT_KINDS.map((kind) => [kind, FAULTS[kind].shape(spelling).describe(FAULTS[kind].what)]);
  return Object.fromEntries(shapes) as Record<FaultKind, z.ZodType>;
}

/** The default argument of a fault; undefined if the argument is required. */
export function absent(kind: FaultKind): unknown {
  return (FAULTS[kind] as unknown as AnyForm).absent;
}

/** Whether the fault waits for a primary before it begins. */
export function needsPrimary(kind: FaultKind): boolean {
  return (FAULTS[kind] as unknown as AnyForm).needsPrimary === true;
}

/** The stages of a fault, in order. @param input an argument that matches the fault's shape */
export function actionsOf(kind: FaultKind, input: unknown, door: FaultDoor): readonly FaultTurn[] {
  return (FAULTS[kind] as unknown as AnyForm).actions(input, door);
}

/** Whether there is a fault of this name. */
export function isFault(kind: string): kind is FaultKind {
  return Object.hasOwn(FAULTS, kind);
}

/** Whether a fault happens at one instant, rather than in several stages with time between them. */
export function isAction(kind: FaultKind): kind is FaultAction['type'] {
  return 'apply' in FAULTS[kind];
}

/** Carries out an action. @returns what remains to be awaited @throws RangeError if there is no such member */
export function applyFault(world: World, action: FaultAction): Waits | undefined {
  return (FAULTS[action.type] as unknown as AnyFault).apply(world, action);
}

/** How many client connections an action affects; undefined if it is not about clients. */
export function connectionsMeant(world: World, action: FaultAction): number | undefined {
  return (FAULTS[action.type] as unknown as AnyFault).connections?.(world, action);
}

/** The value of the scenario step for an action: `n1` for `{ kill: n1 }`. */
export function saidOf(action: FaultAction): unknown {
  return (FAULTS[action.type] as unknown as AnyFault).say(action);
}

/** An action as the text of a scenario step: `kill: n1`. */
export function faultText(action: FaultAction): string {
  return `${action.type}: ${JSON.stringify(saidOf(action)).replaceAll('"', '')}`;
}
