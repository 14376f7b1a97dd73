import { Checkers } from '@replsim/checker';
import { Random } from '@replsim/kernel';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';

// Configs change at random while members die and the network parts. No checker may find anything (S13-S16, T3, T10), and
// once all is whole again the newest config is everywhere (L3) and nobody waits for a vote any more (L7).

const SECOND = 1_000_000;
const SEEDS = 3;
const FIRST = 5;
const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'];

type Member = { _id: number; host: string; votes: number; priority: number; newlyAdded?: boolean };
type Config = { version: number; term: number; members: Member[] };

class Trouble {
  readonly set: ReplSet;
  readonly #random: Random;

  constructor(set: ReplSet, random: Random) {
    this.set = set;
    this.#random = random;
  }

  ask(name: string, command: object, db = 'admin') {
    return decodePromoted(this.set.ask(name, encodeDocument({ ...command, $db: db })));
  }

  get running(): string[] {
    return NAMES.filter((name) => this.set.status(name).running);
  }

  get primaries(): string[] {
    return this.running.filter((name) => this.ask(name, { hello: 1 }).isWritablePrimary);
  }

  configOf(name: string): Config | undefined {
    return this.ask(name, { find: 'system.replset', $readPreference: { mode: 'nearest' } }, 'local').cursor
      ?.firstBatch[0];
  }

  /** One more, one less, a vote given or taken, a priority: what an operator does on a primary. */
  reconfig(): void {
    const random = this.#random;
    const [on] = this.primaries;
    if (on === undefined) return;
    const { config } = this.ask(on, { replSetGetConfig: 1 }) as { config: Config };
    const others = config.members.filter(({ host }) => host !== `${on}:27017`);
    const one = others.length > 0 ? random.pick(others) : undefined;
    const outside = NAMES.filter((name) => config.members.every(({ host }) => host !== `${name}:27017`));
    const nextId = Math.max(...config.members.map(({ _id }) => _id)) + 1;
    const without = config.members.filter((member) => member !== one);
    const replaced = (fields: Partial<Member>) => config.members.map((m) => (m === one ? { ...m, ...fields } : m));
    const choices: Member[][] = [
      without,
      replaced({ votes: 1, priority: random.pick([0, 1, 2]) }),
      replaced({ votes: 0, priority: 0 }),
      ...outside
        .slice(0, 2)
        .map((name) => [
          ...config.members,
          { _id: nextId, host: `${name}:27017`, votes: random.chance(0.8) ? 1 : 0, priority: 0 },
        ]),
    ];
    const members = random.pick(choices);
    const command = { replSetReconfig: { ...config, version: config.version + 1, members }, maxTimeMS: 15_000 };
    this.set.send(on, encodeDocument({ ...command, $db: 'admin' }));
  }

  partition(): void {
    const left = NAMES.filter(() => this.#random.chance(0.5));
    const right = NAMES.filter((name) => !left.includes(name));
    if (left.length > 0 && right.length > 0) this.set.partition([left, right]);
  }

  async round(): Promise<void> {
    const { set } = this;
    const random = this.#random;
    const dice = random.int(0, 10);
    if (dice < 5) this.reconfig();
    else if (dice < 6) this.partition();
    else if (dice < 8) set.heal('all');
    else {
      const name = random.pick(NAMES);
      if (set.status(name).running) set.kill(name);
      else await set.start(name);
    }
    const [primary] = this.primaries;
    const write = { insert: 'c', documents: [{ a: 1 }], writeConcern: { w: 'majority', wtimeout: 5000 }, $db: 'app' };
    if (primary !== undefined) set.send(primary, encodeDocument(write));
    await set.advanceTo(set.nowMicros + random.int(SECOND / 10, 6 * SECOND));
  }

  async rest(): Promise<void> {
    this.set.heal('all');
    for (const name of NAMES) if (!this.set.status(name).running) await this.set.start(name);
  }

  /** Why the set has not come to rest yet. */
  unrest(): string | undefined {
    const { primaries } = this;
    if (primaries.length !== 1) return `${primaries.length} primaries`;
    const config = this.configOf(primaries[0]!)!;
    if (config.members.some(({ newlyAdded }) => newlyAdded)) return 'somebody is still newly added';
    for (const { host } of config.members) {
      const theirs = this.configOf(host.split(':')[0]!);
      if (theirs?.version !== config.version || theirs.term !== config.term) return `${host} has another config`;
    }
    return undefined;
  }
}

async function drive(seed: number): Promise<number> {
  const random = Random.fromSeed(seed).split('reconfigs');
  const members = NAMES.map((name, index) => ({ name, spare: index >= FIRST }));
  const set = await ReplSet.create({ seed, members, network: { latencyMs: [1, 30] } });
  const checkers = new Checkers();
  let installed = 0;
  set.onTrace((event) => {
    if (event.type === 'configInstalled') installed = Math.max(installed, event.config.version);
    const violation = checkers.observe(event);
    if (violation) throw new Error(`seed ${seed}, ${set.nowMicros / SECOND} s: ${violation.name}: ${violation.detail}`);
  });
  const trouble = new Trouble(set, random);
  await set.runUntil(() => trouble.primaries.length > 0, 60 * SECOND);
  for (let round = 0; round < 60; round++) await trouble.round();
  await trouble.rest();
  const calm = await set.runUntil(() => trouble.unrest() === undefined, set.nowMicros + 180 * SECOND);
  if (!calm) throw new Error(`seed ${seed}: no rest: ${trouble.unrest()}`);
  await set.close();
  return installed;
}

test('configs change at random, and everybody ends with the same', async () => {
  let versions = 0;
  for (let seed = 1; seed <= SEEDS; seed++) versions += await drive(seed);
  expect(versions, 'configs did change').toBeGreaterThan(10 * SEEDS);
});
