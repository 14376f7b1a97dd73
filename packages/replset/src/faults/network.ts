import * as z from 'zod';
import type { Latency, NetworkSettings } from '../api.ts';
import { healClients } from '../clientWay.ts';
import { latencyRange, linkSettings } from '../linkSettings.ts';
import type { Member } from '../member.ts';
import { refuse } from '../messages.ts';
import type { World } from '../world.ts';
import { bothWays, type Ends, eachWay, type Fault, type FaultDoor, type FaultPath, sidesOf } from './fault.ts';
import { networkShape, strict, target } from './shapes.ts';
import { type Target, wordsOf } from './targets.ts';

/** Argument of the fault `link`: which links, and what to change. Properties that are left out stay as they are. */
export interface LinkChange {
  /** The members that send. Use `from` with `to` for one direction. */
  readonly from?: Target | undefined;
  /** The members that receive. */
  readonly to?: Target | undefined;
  /** Instead of `from` and `to`: all links between members of different entries, in both directions. */
  readonly between?: readonly Target[] | undefined;
  /** How long a message takes: a number, or a range `[min, max]` to draw from. Unit: ms. */
  readonly latencyMs?: Latency | undefined;
  /** Probability that a message is lost, from 0 to 1. */
  readonly loss?: number | undefined;
  /** Probability that a message arrives twice, from 0 to 1. */
  readonly duplicate?: number | undefined;
  /** Probability that a message is held up so that later ones overtake it, from 0 to 1. */
  readonly reorder?: number | undefined;
}

/** A fault of the link from one member to another. */
export interface Way<Type extends string> {
  readonly type: Type;
  readonly from: string;
  readonly to: string;
}
/** The groups into which the network is split. */
export interface Partition {
  readonly type: 'partition';
  readonly groups: readonly (readonly string[])[];
}
/** The members whose partitions and cuts end. */
export interface Heal {
  readonly type: 'heal';
  readonly members: 'all' | readonly string[];
}
type LinkChanged = Way<'link'> & { readonly settings: NetworkSettings };

const ends = { from: target.describe('The one end'), to: target.describe('The other end') };

const partition: Fault<readonly Target[], Partition> = {
  what: 'Splits the network: members of different sides cannot reach each other',
  shape: () =>
    z
      .array(target, { error: 'expected sides: [[n1, n2], [n3]]' })
      .min(1, { error: 'a partition has at least two sides: [[n1, n2], [n3]]' }),
  actions: (sides, door) => [{ type: 'partition', groups: sidesOf(sides, door) }],
  apply: (world, { groups }) => {
    mustExist(world, ...groups.flat());
    world.network.partition(groups);
    world.recorder.run(world.nowMicros, { type: 'partitioned', groups });
    return undefined;
  },
  say: ({ groups }) => groups,
};

const cut: Fault<Ends, Way<'cut'>> = {
  what: 'Drops all messages from one member to another; the opposite direction still works',
  shape: () => strict('cut', ends),
  actions: (input, door) => eachWay(input, door, (from, to) => ({ type: 'cut', from, to })),
  apply: (world, { from, to }) => {
    mustExist(world, from, to);
    world.network.cut(from, to);
    world.recorder.run(world.nowMicros, { type: 'cut', from, to });
    return undefined;
  },
  say: ({ from, to }) => ({ from, to }),
};

const disconnect: Fault<Ends, Way<'disconnect'>> = {
  what: 'Closes the connections between members; they may reconnect at once',
  shape: () => strict('disconnect', ends),
  actions: (input, door) => eachWay(input, door, (from, to) => ({ type: 'disconnect', from, to })),
  apply: (world, action) => {
    const [from, to] = [world.member(action.from), world.member(action.to)];
    breakOff(world, from, to);
    breakOff(world, to, from);
    return undefined;
  },
  say: ({ from, to }) => ({ from, to }),
};

const heal: Fault<Target, Heal> & { readonly absent: Target } = {
  what: 'Ends partition, cut and clients faults; all also resets links',
  shape: () => target,
  absent: 'all',
  actions: (on, door) => {
    const members = door.members([], on);
    return [{ type: 'heal', members: wordsOf(on).includes('all') ? 'all' : members }];
  },
  apply: (world, { members }) => {
    if (members !== 'all') mustExist(world, ...members);
    world.network.heal(members);
    healClients(world, members === 'all' ? world.members : members.map((name) => world.member(name)));
    world.recorder.run(world.nowMicros, { type: 'healed', members });
    return undefined;
  },
  say: ({ members }) => members,
};

const link: Fault<LinkChange, LinkChanged> = {
  what: 'Changes the latency, loss, duplication or reordering of links',
  shape: () =>
    strict('link', {
      from: target.optional().describe('The one end'),
      to: target.optional().describe('The other end'),
      between: z
        .array(target, { error: 'expected a list of members: [n1, n2]' })
        .min(2, { error: 'expected at least two members' })
        .optional()
        .describe('Instead of from and to: both ways'),
      ...networkShape,
    }),
  actions: ({ from, to, between, ...given }, door) => {
    const settings = linkSettings(given as NetworkSettings);
    if (Object.keys(settings).length === 0)
      door.mistake([], 'this link changes nothing', 'latencyMs, loss, duplicate or reorder');
    checkLatency(given.latencyMs, ['latencyMs'], door);
    const change = (one: string, other: string) => ({ type: 'link' as const, from: one, to: other, settings });
    if (between !== undefined && from === undefined && to === undefined) return bothWays(between, door, change);
    if (between === undefined && from !== undefined && to !== undefined) return eachWay({ from, to }, door, change);
    door.mistake([], 'a link goes "from" one member "to" another, or "between" some', 'write between: [n1, n2]');
    return [];
  },
  apply: (world, { from, to, settings }) => {
    mustExist(world, from, to);
    const changed = linkSettings(settings);
    world.network.setLink(from, to, changed);
    world.recorder.run(world.nowMicros, { type: 'linkChanged', from, to, settings: { ...changed } });
    return undefined;
  },
  say: ({ from, to, settings }) => ({ from, to, ...settings }),
};

/** Faults of the network between members. Clients outside still reach every member. */
export const networkFaults = {
  /** Splits the network: members of different groups cannot reach each other. One group alone is cut off from the rest. */
  partition,
  /** Drops all messages from one member to another. The opposite direction still works. */
  cut,
  /** Closes all connections between members. They may reconnect at once. */
  disconnect,
  /** Ends `partition`, `cut` and `clients` faults, by default for all members; `heal('all')` also resets the links. */
  heal,
  /** Changes the latency, loss, duplication or reordering of links, in one direction or both. */
  link,
};

/** Reports a range whose minimum is greater than its maximum. */
export function checkLatency(latencyMs: Latency | undefined, at: FaultPath, door: Pick<FaultDoor, 'mistake'>): void {
  const [min, max] = latencyRange(latencyMs ?? 0);
  if (min > max) door.mistake(at, 'the least latency comes first', `did you mean [${max}, ${min}]?`);
}

/** The network itself accepts any name, so check here. */
function mustExist(world: World, ...names: readonly string[]): void {
  for (const name of names) world.member(name);
}

/** A member that waits for a reply over one of the connections learns that it is closed, and may ask again. */
function breakOff(world: World, asked: Member, asking: Member): void {
  const requests = asked.process?.requests;
  if (requests === undefined) return;
  for (const [id, { request, asker }] of requests) {
    if (asker.member !== asking || !asker.alive) continue;
    requests.delete(id);
    refuse(world, request, asker, 'Connection reset by peer');
  }
}
