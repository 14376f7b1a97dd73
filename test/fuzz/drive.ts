import { type Checker, Checkers, Liveness } from '@replsim/checker';
import { Random } from '@replsim/kernel';
import { CommandError, encodeDocument, HOLDABLE_PARTS, required, type TraceEvent } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { Bank } from './bank.ts';
import { BULKY, SCRATCH } from './besides.ts';
import { ACCOUNTS, LEDGER } from './books.ts';
import { askNow, type Doc } from './caller.ts';
import { Clients, EXPIRING } from './clients.ts';
import { makeBooks, operate } from './operators.ts';
import { drawShape } from './shape.ts';
import { Strikes } from './strikes.ts';
import { type Tally, TraceTally } from './tally.ts';
import { makeTrouble, type Scene, storm, weather } from './trouble.ts';
import { Watchers } from './watchers.ts';

const SECOND = 1_000_000;
const ROUNDS = 60;
/** Within this after everything has healed there is a primary … */
const PRIMARY_WITHIN = 120 * SECOND;
/**
 * … and within this all members hold the same, initial syncs included. Upstream waits ten minutes for an answer when it
 * reads another's oplog backwards, and a partition may have swallowed just that.
 */
const AGREEMENT_WITHIN = 900 * SECOND;
/** Then commit points, configs and votes are where they belong: a takeover by the highest priority comes after them all. */
const REST_WITHIN = 300 * SECOND;
/** And so they stay, with no election more. */
const QUIET = 60 * SECOND;
/** The longest build, which may have begun anew. */
const BUILDS_WITHIN = 300 * SECOND;
/** A cursor that waits for news is answered each second. */
const STREAMS_WITHIN = 60 * SECOND;
const MAX_ROUNDS = 5;
/** The monitor's sleep, its work, and what a delayed member waits. */
const TTL_PASS = 30 * SECOND;

/** A run that showed a bug: of the program, or of this driver. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/** Who else has to do with a run. */
export interface Company {
  /** Another judge of the trace, who throws what it finds. */
  readonly observe?: (event: TraceEvent) => void;
  /** Called while there is trouble, now and then, with the set as it is. */
  readonly eachRound?: (scene: Scene) => void;
  /** Who judges the trace: every invariant without it. */
  readonly invariants?: readonly Checker[];
  /** Makes the set, of other members than real ones. */
  readonly create?: (options: ReplSetOptions) => Promise<ReplSet>;
}

/**
 * One seed: a set is drawn, lives through trouble while clients work (whatever happens, no invariant breaks), then all
 * heals and it has to come to rest: one primary, equal data on all members, every promise kept, nothing expired left.
 * @throws Finding
 */
export async function drive(seed: number, tally: Tally, company: Company = {}): Promise<void> {
  const { observe, eachRound, invariants, create = (options) => ReplSet.create(options) } = company;
  const random = Random.fromSeed(seed).split('fuzz');
  const shape = drawShape(seed, random.split('shape'));
  const set = await create(shape.options);
  try {
    const checkers = new Checkers(invariants);
    const liveness = new Liveness();
    const counted = new TraceTally(tally);
    const strikes = new Strikes();
    set.onTrace((event) => {
      strikes.observe(event);
      counted.observe(event);
      liveness.observe(event);
      observe?.(event);
      const violation = checkers.observe(event);
      if (violation) throw new Finding(`${violation.name}: ${violation.detail}`);
    });
    const clients = new Clients(set, random.split('clients'), tally);
    const bank = new Bank(set, random.split('bank'), tally, shape);
    const watchers = new Watchers(set, random.split('watchers'), tally, shape.forces);
    const scene: Scene = { set, random: random.split('trouble'), clients, bank, watchers, strikes, shape };
    await live(scene, eachRound);
    countConflicts(scene, tally);
    await comeToRest(scene);
    await stayAtRest(set, liveness);
    await aDiskBreaks(scene, tally);
  } catch (error) {
    const at = `seed ${seed} at ${(set.nowMicros / SECOND).toFixed(3)}s`;
    throw new Finding(`${at}: ${error instanceof Error ? error.message : error}`, { cause: error });
  } finally {
    await set.close();
  }
}

async function live(scene: Scene, eachRound?: (scene: Scene) => void): Promise<void> {
  const { set, random, clients, bank, watchers, shape } = scene;
  const indexes = random.split('indexes');
  const operators = random.split('operators');
  await set.runUntil(() => clients.primaries().length > 0, 60 * SECOND);
  clients.begin();
  makeBooks(scene, operators);
  bank.open();
  watchers.open();
  await set.advanceTo(set.nowMicros + SECOND);
  weather(set, shape);
  for (let round = 0; round < ROUNDS; round++) {
    if (shape.stormy && random.chance(0.5)) await storm(scene);
    if (random.chance(0.5)) await makeTrouble(scene);
    for (let turn = random.int(0, 4); turn > 0; turn--) clients.turn();
    if (indexes.chance(0.2)) clients.changeIndexes(indexes);
    for (let turn = operators.int(0, 3); turn > 0; turn--) operate(scene, operators);
    const until = set.nowMicros + random.int(100_000, 4 * SECOND);
    if (shape.large && (await set.runUntil(() => scene.strikes.due !== undefined, until))) scene.strikes.strike(scene);
    else await set.advanceTo(until);
    clients.collect();
    eachRound?.(scene);
  }
}

/** Single writes and TTL passes that met what a transaction had open, as members count them. */
function countConflicts({ set }: Scene, tally: Tally): void {
  for (const name of set.memberNames) {
    const { metrics } = askNow(set, name, { serverStatus: 1, $db: 'admin' }) as {
      metrics?: { operation: { writeConflicts: number } };
    };
    if (metrics) tally.add('write waited for a transaction', metrics.operation.writeConflicts);
  }
}

async function comeToRest(scene: Scene): Promise<void> {
  const { set, clients, bank, shape } = scene;
  bank.close();
  await healEverything(scene);
  await mustHold(set, PRIMARY_WITHIN, 'a primary', () => clients.primaries().length > 0);
  clients.makeIndex();
  // To compare it again and again would take long.
  if (shape.large) set.send(clients.primaries()[0]!, encodeDocument({ drop: BULKY, $db: 'app' }));
  await agree(scene);
  await mustHold(set, BUILDS_WITHIN, 'an answer to every command', () => {
    clients.collect();
    return clients.underWay === 0 && !bank.atWork;
  });
  await mustHold(set, BUILDS_WITHIN, 'end of every index build', () =>
    dataBearing(scene).every((name) => !builds(scene, name)),
  );
  await mustHold(set, AGREEMENT_WITHIN, 'equal data once more', () => disagreement(scene) === undefined);
  if (clients.primaries().length !== 1) throw new Finding(`${clients.primaries().length} primaries`);
  if (!shape.forces) keepsPromises(scene);
  await nothingExpired(scene);
  await streamsShowTheLast(scene);
}

/** L1 to L7 of the reference. */
async function stayAtRest(set: ReplSet, liveness: Liveness): Promise<void> {
  await mustHold(
    set,
    REST_WITHIN,
    'rest',
    () => liveness.broken().length === 0,
    () => liveness.broken().join('; '),
  );
  const since = set.nowMicros;
  await set.advanceTo(since + QUIET);
  const elections = liveness.electionsSince(since);
  if (elections > 0) throw new Finding(`L4: ${elections} elections without a fault`);
  const [isolated] = liveness.isolatedTooLong;
  if (isolated !== undefined) throw new Finding(isolated);
}

async function mustHold(
  set: ReplSet,
  within: number,
  what: string,
  holds: () => boolean,
  why?: () => string | undefined,
) {
  if (await set.runUntil(holds, set.nowMicros + within)) return;
  throw new Finding(`no ${what} within ${within / SECOND}s of peace: ${why?.() ?? states(set)}`);
}

/** The network is whole, processes run, clocks agree, the operator has ended what operators began. */
async function healEverything({ set, clients }: Scene): Promise<void> {
  set.heal('all');
  for (const name of set.memberNames) {
    if (set.status(name).paused) set.resume(name);
    for (const part of HOLDABLE_PARTS) set.release(name, part);
    await set.disk(name, { latencyMs: 0, full: false });
    set.driftClock(name, 0);
    set.jumpClock(name, Math.round(set.epochMs + set.nowMicros / 1000 - set.wallMs(name)));
  }
  // A shutdown that was under way ends first.
  await set.advanceTo(set.nowMicros + 20 * SECOND);
  for (const name of set.memberNames) if (!set.status(name).running) await set.start(name);
  await set.advanceTo(set.nowMicros + 40 * SECOND);
  for (const name of set.memberNames) {
    clients.ask(name, { configureFailPoint: 'failCommand', mode: 'off', $db: 'admin' });
    // Without chaining, electable members that are behind a member of priority 0 wait for a primary that only they could be.
    clients.ask(name, { setParameter: 1, enableOverrideClusterChainingSetting: true, $db: 'admin' });
    for (let i = 0; i < 20; i++) {
      const off = clients.ask(name, { replSetMaintenance: false, $db: 'admin' });
      if (off.ok !== 1) break;
    }
  }
}

/** Members that fell off everybody's oplog, or died because they had copied from somebody who was rolled back afterwards. */
function beyondHelp({ set, clients }: Scene): string[] {
  return set.memberNames.filter(
    (name) => !set.status(name).running || clients.ask(name, { replSetGetStatus: 1, $db: 'admin' }).tooStale === true,
  );
}

/** Equal data everywhere; an operator empties whoever cannot get there any more, and lets it copy everything. */
async function agree(scene: Scene): Promise<void> {
  const { set, clients } = scene;
  const until = set.nowMicros + AGREEMENT_WITHIN;
  for (;;) {
    await set.runUntil(() => disagreement(scene) === undefined || beyondHelp(scene).length > 0, until);
    const [lost] = clients.primaries().length > 0 ? beyondHelp(scene) : [];
    if (lost === undefined || set.nowMicros >= until) break;
    set.kill(lost);
    await set.start(lost, { wipe: true });
  }
  await mustHold(
    set,
    Math.max(until - set.nowMicros, 0),
    'equal data on all members',
    () => disagreement(scene) === undefined,
    () => disagreement(scene),
  );
}

/** A disk breaks in peace: its member refuses to start, is emptied, and copies everything from the others. */
async function aDiskBreaks(scene: Scene, tally: Tally): Promise<void> {
  const { set, clients, random } = scene;
  const names = dataBearing(scene).filter((name) => !clients.primaries().includes(name));
  if (names.length < 2 || !random.chance(0.15)) return;
  const name = random.pick(names);
  set.kill(name);
  await set.disk(name, { corrupt: true });
  const refused = await set.start(name).then(
    () => false,
    (error) => error instanceof CommandError,
  );
  if (!refused) throw new Finding(`${name} starts on a corrupt disk`);
  tally.add('corrupt disk');
  await set.start(name, { wipe: true });
  await mustHold(set, AGREEMENT_WITHIN, 'equal data after a disk broke', () => disagreement(scene) === undefined);
}

/** Members of the newest config that hold data. */
function dataBearing({ set, clients }: Scene): string[] {
  const [primary] = clients.primaries();
  if (primary === undefined) return [];
  const { config } = clients.ask(primary, { replSetGetConfig: 1, $db: 'admin' }) as {
    config: { members: { host: string; arbiterOnly?: boolean }[] };
  };
  const hosts = new Set(config.members.filter(({ arbiterOnly }) => !arbiterOnly).map(({ host }) => host));
  return set.memberNames.filter((name) => hosts.has(`${name}:27017`));
}

/** Whether a member builds, or has in its catalog what nobody builds. */
function builds({ clients }: Scene, name: string): boolean {
  const { inprog } = clients.ask(name, { currentOp: 1, desc: { $regex: '^IndexBuilds' }, $db: 'admin' });
  return (inprog as unknown[]).length > 0 || hasUnfinished(clients, name);
}

function hasUnfinished(clients: Clients, name: string): boolean {
  const list = (command: Doc): Doc[] => {
    const reply = clients.ask(name, { ...command, $readPreference: { mode: 'secondaryPreferred' }, $db: 'app' });
    return (reply.cursor as { firstBatch: Doc[] } | undefined)?.firstBatch ?? [];
  };
  return list({ listCollections: 1, nameOnly: true }).some((collection) =>
    list({ listIndexes: collection.name, includeBuildUUIDs: true }).some(({ buildUUID }) => buildUUID !== undefined),
  );
}

function disagreement(scene: Scene): string | undefined {
  const { clients } = scene;
  const names = dataBearing(scene);
  if (names.length === 0) return 'nobody is primary';
  const read = { $readPreference: { mode: 'secondaryPreferred' }, $db: 'app' };
  const says = names.map((name) => {
    const { myState, tooStale } = clients.ask(name, { replSetGetStatus: 1, $db: 'admin' });
    const { md5, errmsg } = clients.ask(name, { dbHash: 1, ...read });
    return {
      name,
      readable: myState === 1 || myState === 2,
      text: `${name} ${myState}${tooStale ? ' too stale' : ''} ${md5 ?? errmsg}`,
      md5,
    };
  });
  if (says.every(({ readable, md5 }) => readable && md5 === says[0]!.md5)) return undefined;
  return says.map(({ text }) => text).join(', ');
}

function keepsPromises(scene: Scene): void {
  for (const name of dataBearing(scene)) {
    const broken = scene.clients.brokenPromise(name) ?? scene.bank.brokenPromise(name);
    if (broken !== undefined) throw new Finding(`${name}: ${broken}`);
  }
}

/** A pass later no member holds a document that was due before. */
async function nothingExpired(scene: Scene): Promise<void> {
  const { set, clients } = scene;
  // The index may have been lost with the primary that made it, or never have been made.
  const [primary] = clients.primaries();
  const { cursor } = clients.ask(primary!, { listIndexes: EXPIRING, $db: 'app' });
  if (!(cursor as { firstBatch: { name: string }[] } | undefined)?.firstBatch.some(({ name }) => name === 'at_1'))
    return;
  const due = new Date(set.epochMs + set.nowMicros / 1000 - 30_000);
  const count = {
    count: EXPIRING,
    query: { at: { $lt: due } },
    $readPreference: { mode: 'secondaryPreferred' },
    $db: 'app',
  };
  await mustHold(
    set,
    TTL_PASS,
    'member without expired documents',
    () => dataBearing(scene).length > 0 && dataBearing(scene).every((name) => clients.ask(name, count).n === 0),
  );
}

/** Every stream goes on somewhere, and shows what is written now; then its events have told of all that its collection holds. */
async function streamsShowTheLast(scene: Scene): Promise<void> {
  const { set, watchers, shape } = scene;
  watchers.settle();
  await mustHold(set, STREAMS_WITHIN, 'server for every stream', () => watchers.allOpen);
  for (let round = 1; ; round++) {
    const before = watchers.names;
    const _id = `last ${round}`;
    const leader = await aPrimary(scene);
    for (const collection of [ACCOUNTS, LEDGER, EXPIRING, SCRATCH]) {
      const insert = { insert: collection, documents: [{ _id }], writeConcern: { w: 'majority' }, $db: 'app' };
      set.send(leader, encodeDocument(insert));
    }
    if (await set.runUntil(() => watchers.without(_id) === undefined, set.nowMicros + STREAMS_WITHIN)) break;
    // One that requires an image which is not kept begins anew, behind this insert.
    if (round > MAX_ROUNDS || watchers.names === before)
      throw new Finding(
        `${watchers.without(_id)?.name} does not show an insert within ${STREAMS_WITHIN / SECOND}s of peace`,
      );
  }
  for (const watcher of watchers.all) {
    const { collection } = watcher.target;
    // Documents go on expiring.
    if (collection === 1 || collection === EXPIRING || shape.forces) continue;
    const all = { find: collection, batchSize: 1_000_000, $db: 'app' };
    const { cursor } = askNow(set, await aPrimary(scene), all) as { cursor: { firstBatch: Doc[] } };
    const wrong = watcher.differs(cursor.firstBatch);
    if (wrong !== undefined) throw new Finding(`${watcher.name}: ${wrong}`);
  }
  watchers.close();
  await mustHold(set, STREAMS_WITHIN, 'end of every stream', () => !watchers.atWork);
}

/** Whoever leads by now: the highest priority may take over long after all has healed. */
async function aPrimary({ set, clients }: Scene): Promise<string> {
  let primary: string | undefined;
  await mustHold(set, PRIMARY_WITHIN, 'a primary', () => {
    [primary] = clients.primaries();
    return primary !== undefined;
  });
  return required(primary, 'primary');
}

function states(set: ReplSet): string {
  return set.memberNames.map((name) => `${name} ${set.status(name).running ? 'runs' : 'is down'}`).join(', ');
}
