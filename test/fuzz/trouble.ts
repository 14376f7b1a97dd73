import type { Random } from '@replsim/kernel';
import { encodeDocument, HOLDABLE_PARTS, InvariantError } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import type { Bank } from './bank.ts';
import type { Clients } from './clients.ts';
import type { Shape } from './shape.ts';
import type { Strikes } from './strikes.ts';
import type { Watchers } from './watchers.ts';

/** What trouble has to work with. */
export interface Scene {
  readonly set: ReplSet;
  readonly random: Random;
  readonly clients: Clients;
  readonly bank: Bank;
  readonly watchers: Watchers;
  readonly strikes: Strikes;
  readonly shape: Shape;
}

type Trouble = (scene: Scene, member: string) => Promise<void> | void;

/** What may go wrong, and how often: the numbers are weights. */
const TROUBLES: readonly (readonly [weight: number, trouble: Trouble])[] = [
  [8, ({ set }, member) => set.kill(member)],
  [3, ({ set }, member) => set.shutdown(member)],
  [20, startOne],
  [6, ({ set, random }) => set.partition(split(random, set.memberNames))],
  [4, ({ set, random }) => cutOne(set, random)],
  [3, ({ set, random }) => set.partition(split(random, set.memberNames))],
  [12, ({ set }) => set.heal('all')],
  [4, worseLink],
  [4, ({ set }, member) => (set.status(member).paused ? set.resume(member) : set.pause(member))],
  [4, ({ set, random }, member) => set.hold(member, random.pick(HOLDABLE_PARTS))],
  [5, releaseAll],
  [2, ({ set, random }, member) => set.jumpClock(member, random.int(-3000, 3000))],
  [1, ({ set, random }, member) => set.driftClock(member, random.int(-300, 300))],
  [5, (scene) => command(scene, scene.clients.primaries()[0], stepDown(scene.random))],
  [3, (scene, member) => command(scene, member, { replSetStepUp: 1 })],
  [2, (scene, member) => command(scene, member, { replSetFreeze: scene.random.pick([0, 5, 20]) })],
  [1, (scene, member) => command(scene, member, { replSetMaintenance: scene.random.chance(0.5) })],
  [1, (scene) => command(scene, scene.clients.primaries()[0], { replSetAbortPrimaryCatchUp: 1 })],
  [
    2,
    (scene, member) => command(scene, member, { replSetSyncFrom: `${scene.random.pick(scene.set.memberNames)}:27017` }),
  ],
  [4, reconfig],
  [3, (scene) => tear(scene)],
  [2, ({ set, random }, member) => set.disk(member, { latencyMs: random.pick([0, 20, 300]) })],
  [1, ({ set }, member) => set.disk(member, { full: true })],
  [3, ({ set }, member) => set.disk(member, { full: false })],
  [2, failSomeCommands],
  [2, (scene, member) => command(scene, member, { setParameter: 1, ttlMonitorSleepSecs: scene.random.int(1, 9) })],
];

const TOTAL = TROUBLES.reduce((sum, [weight]) => sum + weight, 0);

/** Makes one trouble. */
export async function makeTrouble(scene: Scene): Promise<void> {
  const { random, set } = scene;
  await drawn(random.int(0, TOTAL))(scene, random.pick(set.memberNames));
}

function drawn(at: number): Trouble {
  let upTo = 0;
  for (const [weight, trouble] of TROUBLES) {
    upTo += weight;
    if (at < upTo) return trouble;
  }
  throw new RangeError(`there is no trouble number ${at}`);
}

const TEAR_EVERY_MICROS = 300_000;

/** The stormy profile's four seconds: a partition of 0.3 to 3 s, and connections that are torn each 0.3 s. */
export async function storm(scene: Scene): Promise<void> {
  const { set, random, shape } = scene;
  const end = set.nowMicros + 4_000_000;
  const healAt = set.nowMicros + random.int(300_000, 3_000_000);
  set.partition(split(random, set.memberNames));
  let parted = true;
  while (set.nowMicros < end) {
    await set.advanceTo(set.nowMicros + TEAR_EVERY_MICROS);
    tear(scene);
    if (!parted || set.nowMicros < healAt) continue;
    parted = false;
    set.heal('all');
    weather(set, shape);
  }
}

function tear({ set, random }: Scene): void {
  const [a, b] = random.shuffle(set.memberNames);
  if (b !== undefined) set.disconnect(a!, b);
}

/** The links as the shape has them. */
export function weather(set: ReplSet, { weather: settings }: Shape): void {
  for (const from of set.memberNames) for (const to of set.memberNames) if (from !== to) set.link(from, to, settings);
}

async function startOne({ set, random }: Scene): Promise<void> {
  const down = set.memberNames.filter((name) => !set.status(name).running);
  if (down.length > 0) await tryToStart(set, random.pick(down));
}

/** A process whose disk is full refuses to start. */
async function tryToStart(set: ReplSet, name: string): Promise<void> {
  try {
    await set.start(name);
  } catch (error) {
    if (error instanceof InvariantError) throw error;
  }
}

/** The member's clients meet errors that drivers retry. */
function failSomeCommands(scene: Scene, member: string): void {
  const { random } = scene;
  const failCommands = random.pick([['insert', 'update'], ['find'], ['insert']]);
  const data = { failCommands, errorCode: random.pick([91, 189, 10107, 11600]) };
  const mode = { times: random.int(1, 4) };
  command(scene, member, { configureFailPoint: 'failCommand', mode, data });
}

function releaseAll({ set }: Scene, member: string): void {
  for (const part of HOLDABLE_PARTS) set.release(member, part);
}

function split(random: Random, names: readonly string[]): string[][] {
  if (names.length < 2) return [[...names]];
  const shuffled = random.shuffle(names);
  const at = random.int(1, names.length);
  return [shuffled.slice(0, at), shuffled.slice(at)];
}

function cutOne(set: ReplSet, random: Random): void {
  const [from, to] = random.shuffle(set.memberNames);
  if (to !== undefined) set.cut(from!, to);
}

function worseLink({ set, random }: Scene): void {
  const [from, to] = random.shuffle(set.memberNames);
  if (to === undefined) return;
  set.link(
    from!,
    to,
    random.pick([{ loss: 0.2 }, { duplicate: 0.3, reorder: 0.3 }, { latencyMs: [200, 900] as const }]),
  );
}

function command({ set }: Scene, member: string | undefined, document: object): void {
  if (member !== undefined) set.send(member, encodeDocument({ ...document, $db: 'admin' }));
}

function stepDown(random: Random): object {
  return {
    replSetStepDown: random.int(5, 30),
    secondaryCatchUpPeriodSecs: random.int(0, 5),
    force: random.chance(0.4),
  };
}

/** Changes the config as somebody would who looks at it first: a priority, a vote, a member in or out. */
function reconfig(scene: Scene): void {
  const { set, random, clients, shape } = scene;
  const force = shape.forces && random.chance(0.3);
  const on = force ? random.pick(set.memberNames) : clients.primaries()[0];
  if (on === undefined) return;
  const { config } = clients.ask(on, { replSetGetConfig: 1, $db: 'admin' }) as { config?: Config };
  // Whoever was removed hears of nobody, and what it would force upon itself would stay there.
  if (!config?.members.some(({ host }) => host === `${on}:27017`)) return;
  const members = changed(config.members, set.memberNames, random);
  if (arbitersDecide(members)) return;
  const next = { ...config, version: config.version + 1, members };
  command(scene, on, { replSetReconfig: next, ...(force && { force }), maxTimeMS: 20_000 });
}

interface Config {
  readonly version: number;
  readonly members: readonly ConfigMember[];
}

type ConfigMember = {
  readonly _id: number;
  readonly host: string;
  readonly priority: number;
  readonly votes: number;
  readonly arbiterOnly?: boolean;
};

/**
 * Fewer voters with data than a majority: a primary commits alone as soon as it has such a config, while the others may
 * elect somebody by the one before. What it acknowledged is then lost, in mongod as well, so no operator should do it.
 */
function arbitersDecide(members: readonly ConfigMember[]): boolean {
  const voters = members.filter(({ votes }) => votes === 1);
  return voters.filter(({ arbiterOnly }) => !arbiterOnly).length < Math.floor(voters.length / 2) + 1;
}

function changed(members: readonly ConfigMember[], names: readonly string[], random: Random): readonly ConfigMember[] {
  const index = random.int(0, members.length);
  const one = members[index]!;
  switch (random.int(0, 4)) {
    case 0:
      return members.with(index, { ...one, priority: one.priority === 0 ? 0 : random.pick([0.5, 1, 2, 3]) });
    case 1:
      return members.filter(({ host }) => host !== one.host || host === 'n1:27017');
    case 2:
      return members.with(index, {
        ...one,
        votes: one.host === 'n1:27017' ? 1 : 0,
        priority: one.host === 'n1:27017' ? 1 : 0,
      });
    default: {
      const outside = names
        .map((name) => `${name}:27017`)
        .filter((host) => members.every((member) => member.host !== host));
      if (outside.length === 0) return members;
      const _id = Math.max(...members.map((member) => member._id)) + 1;
      return [...members, { _id, host: random.pick(outside), priority: 1, votes: 1 }];
    }
  }
}
