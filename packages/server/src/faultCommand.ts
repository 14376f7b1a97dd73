import { CommandError, HOLDABLE_PARTS } from '@replsim/protocol';
import type { DiskFaultSettings, NetworkSettings, StartOptions } from '@replsim/replset';
import * as z from 'zod';
import { durationMicros } from './durations.ts';
import type { ServedSet } from './servedSet.ts';
import { membersOf } from './targets.ts';

const target = z.union([z.string(), z.array(z.string()).min(1)]);
const part = z.enum(HOLDABLE_PARTS);
const chance = z.number().min(0).max(1).optional();
const start = z.union([
  target,
  z.strictObject({
    member: target,
    as: z.union([z.literal('standalone'), z.strictObject({ replSet: z.string() })]).optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    wipe: z.boolean().optional(),
    queryableBackupMode: z.boolean().optional(),
  }),
]);

/** What `replsimFault` takes: one of the faults of a scenario's steps, spelled as there. */
const faultSchema = z.strictObject({
  kill: target.optional(),
  shutdown: target.optional(),
  start: start.optional(),
  restart: start.optional(),
  pause: target.optional(),
  resume: target.optional(),
  hold: z.strictObject({ on: target, part }).optional(),
  release: z.union([target, z.strictObject({ on: target, part: part.optional() })]).optional(),
  partition: z.array(target).min(1).optional(),
  cut: z.strictObject({ from: target, to: target }).optional(),
  heal: target.optional(),
  link: z
    .strictObject({
      from: target,
      to: target,
      latencyMs: z
        .tuple([z.number().min(0), z.number().min(0)])
        .refine(([min, max]) => min <= max, { error: 'latencyMs is [min, max], and min is not above max' })
        .optional(),
      loss: chance,
      duplicate: chance,
      reorder: chance,
    })
    .optional(),
  clock: z
    .strictObject({
      on: target,
      jump: z.union([z.string(), z.number()]).optional(),
      drift: z.int().min(-1_000_000).max(1_000_000).optional(),
    })
    .optional(),
  disk: z
    .strictObject({
      on: target,
      latencyMs: z.number().min(0).optional(),
      full: z.boolean().optional(),
      corrupt: z.literal(true).optional(),
    })
    .optional(),
});

type Fault = z.infer<typeof faultSchema>;
type FaultKind = keyof Fault;
type Handlers = {
  [K in FaultKind]-?: (served: ServedSet, input: NonNullable<Fault[K]>) => Promise<void>;
};

const HANDLERS: Handlers = {
  kill: (served, on) => each(served, on, (member) => served.act({ type: 'kill', member })),
  shutdown: (served, on) => each(served, on, (member) => served.shutdown(member)),
  start: (served, input) => startAll(served, input),
  restart: async (served, input) => {
    // Who is meant must be settled first: those that have ended are nobody's secondaries.
    const members = [...membersOf(served, targetOf(input))];
    await each(served, members, (member) => served.shutdown(member));
    await startAll(served, { ...(isTarget(input) ? {} : input), member: members });
  },
  pause: (served, on) => each(served, on, (member) => served.act({ type: 'pause', member })),
  resume: (served, on) => each(served, on, (member) => served.act({ type: 'resume', member })),
  hold: (served, { on, part }) => each(served, on, (member) => served.act({ type: 'hold', member, part })),
  release: (served, input) => {
    const { on, part } = typeof input === 'string' || Array.isArray(input) ? { on: input } : input;
    const parts = part === undefined ? HOLDABLE_PARTS : [part];
    return each(served, on, async (member) => {
      for (const each of parts) await served.act({ type: 'release', member, part: each });
    });
  },
  partition: (served, sides) => served.act({ type: 'partition', groups: groupsOf(served, sides) }),
  cut: (served, ends) => pairs(served, ends, (from, to) => served.act({ type: 'cut', from, to })),
  heal: (served, on) =>
    served.act({ type: 'heal', members: [on].flat().includes('all') ? 'all' : membersOf(served, on) }),
  link: (served, { from, to, ...settings }) =>
    pairs(served, { from, to }, (one, other) =>
      served.act({ type: 'link', from: one, to: other, settings: settings as NetworkSettings }),
    ),
  clock: (served, { on, jump, drift }) =>
    each(served, on, async (member) => {
      if (jump !== undefined) await served.act({ type: 'jumpClock', member, byMs: signedMs('jump', jump) });
      if (drift !== undefined) await served.act({ type: 'driftClock', member, ppm: drift });
    }),
  disk: (served, { on, ...settings }) =>
    each(served, on, (member) => served.act({ type: 'disk', member, settings: settings as DiskFaultSettings })),
};

/**
 * Does what `replsimFault` asks for: one or more of a scenario's faults, in the order in which they are written.
 * @param asked what messages name
 * @throws CommandError BadValue for a fault that there is not, NodeNotFound for a member that there is not
 */
export async function playFault(served: ServedSet, fault: unknown, asked = 'replsimFault'): Promise<void> {
  const { success, data, error } = faultSchema.safeParse(fault);
  if (!success) throw new CommandError('BadValue', `${asked}: ${z.prettifyError(error)}`);
  // Not of `data`, whose keys stand in the schema's order.
  const kinds = Object.keys(fault as Fault) as FaultKind[];
  if (kinds.length === 0) {
    throw new CommandError('BadValue', `${asked} names no fault: one of ${Object.keys(HANDLERS).join(', ')}`);
  }
  for (const kind of kinds) {
    const handle = HANDLERS[kind] as (served: ServedSet, input: unknown) => Promise<void>;
    await handle(served, data[kind]);
  }
}

async function startAll(served: ServedSet, input: NonNullable<Fault['start']>): Promise<void> {
  const { member: _, ...options } = isTarget(input) ? { member: input } : input;
  await each(served, targetOf(input), (member) => served.start(member, options as StartOptions));
}

function targetOf(input: NonNullable<Fault['start']>): string | string[] {
  return isTarget(input) ? input : input.member;
}

function isTarget(input: NonNullable<Fault['start']>): input is string | string[] {
  return typeof input === 'string' || Array.isArray(input);
}

/** One after the other, so that a recording has them in an order. */
async function each(
  served: ServedSet,
  on: string | readonly string[],
  act: (member: string) => Promise<void>,
): Promise<void> {
  for (const member of membersOf(served, on)) await act(member);
}

async function pairs(
  served: ServedSet,
  { from, to }: { readonly from: string | string[]; readonly to: string | string[] },
  act: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const ends = membersOf(served, to);
  for (const one of membersOf(served, from)) for (const other of ends) if (one !== other) await act(one, other);
}

/**
 * The sides of a partition; a word stands for those that no earlier side names.
 * @throws CommandError BadValue for a side that then has nobody
 */
function groupsOf(served: ServedSet, sides: readonly (string | string[])[]): string[][] {
  const placed = new Set<string>();
  return sides.map((side) => {
    const group = membersOf(served, side).filter((member) => !placed.has(member));
    if (group.length === 0)
      throw new CommandError('BadValue', `nobody is left for the side ${[side].flat().join(', ')}`);
    for (const member of group) placed.add(member);
    return group;
  });
}

/** A clock may jump back: `-90s`. */
function signedMs(name: string, value: string | number): number {
  const back = typeof value === 'string' ? value.startsWith('-') : value < 0;
  const size = typeof value === 'string' ? value.replace(/^-/, '') : Math.abs(value);
  const ms = durationMicros(name, size) / 1000;
  return back ? -ms : ms;
}
