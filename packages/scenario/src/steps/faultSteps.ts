import {
  duration,
  FAULT_GROUPS,
  FAULT_KINDS,
  FAULTS,
  type FaultKind,
  faultShapes,
  flag,
  startShape,
  strict,
  targetOr,
} from '@replsim/replset';
import type * as z from 'zod';
import { withDefault } from '../schema/parts.ts';
import { performFault } from './performFault.ts';
import { type FaultStep, isInstant, readFault, readFaultAt } from './readFault.ts';
import { type AnyStep, type Performing, step } from './row.ts';

/** As the table of faults has them; only a step may expect that a process refuses to start. */
const shapes: Readonly<Record<FaultKind, z.ZodType>> = {
  ...faultShapes({ duration }),
  start: startOf('start'),
  restart: startOf('restart'),
};

function startOf(kind: 'start' | 'restart') {
  const error = withDefault(flag, false, 'true: the process must refuse to start');
  return targetOr(strict(kind, { ...startShape, error })).describe(FAULTS[kind].what);
}

/** How every fault is done. */
const faultStep: Performing<FaultStep> = {
  perform: async (action, stage) => {
    await performFault(action, stage);
    return undefined;
  },
};

const rows = new Map<string, AnyStep>(FAULT_KINDS.map((kind) => [kind, rowOf(kind)]));

function rowOf(kind: FaultKind): AnyStep {
  return step({
    ...faultStep,
    shape: shapes[kind],
    read: (reader, path, input) => readFault(reader, path, kind, input),
    ...(isInstant(kind) && { outside: (reader, path, input) => readFaultAt(reader, path, kind, input) }),
  });
}

/** The steps that are faults: a row of the table of faults each. */
export const faultSteps = {
  processes: rowsOf(FAULT_GROUPS.processes),
  network: rowsOf(FAULT_GROUPS.network),
  machines: rowsOf(FAULT_GROUPS.machines),
};

function rowsOf(kinds: readonly string[]): Readonly<Record<string, AnyStep>> {
  return Object.fromEntries([...rows].filter(([kind]) => kinds.includes(kind)));
}
