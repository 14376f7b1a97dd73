import { formatInstantExactly, Random } from '@replsim/kernel';
import { USUAL_KINDS } from '@replsim/scenario';
import { Document, isMap, isSeq } from 'yaml';
import { type Act, drawActs } from './acts.ts';
import { drawClients, EXPIRING, LAST, SESSION_SECONDS } from './clients.ts';
import { type DrawnSet, drawSet, type Fields } from './set.ts';
import { drawStories } from './stories.ts';

const SECOND = 1_000_000;
/** By then every set has begun … */
export const BEGUN_MICROS = 25 * SECOND;
const ACTS_UNTIL = 90 * SECOND;
const STORIES_UNTIL = 60 * SECOND;
/** … by then all that went wrong is over … */
export const HEALED_MICROS = 100 * SECOND;
/** … and then those of a higher priority have taken over, and whoever was frozen may stand again. */
const REST = '60s';

/** How many faults a run has at most: quiet ones, and stormy ones. */
const MANY = [12, 30, 60];

/** A whole scenario: a set, clients, operators, and what must hold in the end, whatever faults befall it. The same seed draws the same. */
export function drawScenario(seed: number): string {
  const random = Random.fromSeed(seed).split('scenario');
  const set = drawSet(random.split('set'));
  const clients = drawClients(set, random.split('clients'));
  const stories = drawStories(set, [BEGUN_MICROS, STORIES_UNTIL], random.split('stories'));
  const acts = [
    ...drawActs(set, [BEGUN_MICROS, ACTS_UNTIL], random.split('acts')),
    ...stories,
    ...actsInTheEnd(set),
  ].sort((a, b) => a.atMicros - b.atMicros);
  return written({
    name: `What a set promises holds in what seed ${seed} draws`,
    seed,
    explore: drawBounds(set, stories.length > 0 || acts.some(({ does }) => 'restart' in does), random.split('bounds')),
    ...set.head,
    begin: 'with a primary',
    ...(acts.length > 0 && { meanwhile: acts.map(entryOf) }),
    steps: [
      ...drawWeather(set, random.split('weather')),
      ...clients.setup,
      ...clients.starts,
      { advance: { to: formatInstantExactly(HEALED_MICROS) } },
      ...healing(set),
      { eventually: { within: '120s', primary: 'any' } },
      { stop: clients.names },
      { advance: REST },
      ...aDiskBreaks(set, random.split('disk')),
      ...writesInTheEnd(),
      ...claimsOf(set, clients.streams),
      ...clients.claims,
    ],
  });
}

/** Commands are sent without waiting for the answer. */
function entryOf({ atMicros, does }: Act, index: number): Fields {
  const [[key = '', what]] = Object.entries(does) as [[string, unknown]];
  const as = `act${index + 1}`;
  const step = ASKS.includes(key) ? { ...(what as Fields), as } : what;
  return { at: formatInstantExactly(atMicros), [key]: step, optional: true };
}

const ASKS = ['run', 'addMember', 'stepUp', 'stepDown'];

/** What brings about most: who leads, and what the others do not have. */
const HARSH = ['partition', 'kill', 'pause', 'hold', 'stepDown'];
/** Writes to wrong places are a story: a second member that is emptied soon after the first may leave nobody with data. */
const LIES = ['lostWrites', 'tornWrite'];
const LEADING = ['kill', 'restart', 'stepDown', 'stepUp'];

/** @param overlap whether something goes wrong already, so that it is not known what a fault meets */
function drawBounds(set: DrawnSet, overlap: boolean, random: Random): Fields {
  const { names, spares, isUnsafe, cutsOplogs, disksLie } = set;
  const usual = USUAL_KINDS.filter((kind) => kind !== 'cpu' && (cutsOplogs || kind !== 'truncateOplog'));
  const some = random.shuffle(usual).slice(0, 8);
  const kinds = new Set(names.length < 2 ? usual : random.pick([usual, usual, some, HARSH, LEADING, ['partition']]));
  if (random.split('processors').chance(0.3)) kinds.add('cpu');
  if (isUnsafe && !disksLie) kinds.add('forceReconfig');
  if (cutsOplogs) kinds.add('truncateOplog');
  const overlaps = overlap || random.chance(0.3);
  return {
    faults: disksLie ? [...LIES, ...HARSH] : [...kinds],
    atMost: random.pick(MANY),
    ...(overlaps && { overlap: true }),
    // Of a process that belongs to no set nobody can ask anything.
    ...(!overlaps && spares.length > 0 && { members: names }),
  };
}

/** What links are like; not before the set has begun, as an initiation that loses a heartbeat is refused. */
function drawWeather({ names }: DrawnSet, random: Random): readonly Fields[] {
  if (names.length < 2 || random.chance(0.4)) return [];
  const settings = random.pick<Fields>([{ loss: 0.02 }, { loss: 0.05 }, { duplicate: 0.05 }, { reorder: 0.1 }]);
  return [{ link: { between: names, ...settings } }];
}

/** The network is whole, processes run, and what was asked of members is over. */
function healing({ chains }: DrawnSet): readonly Fields[] {
  return [
    { heal: 'all' },
    { resume: 'all' },
    { release: 'all' },
    { disk: { on: 'all', latencyMs: 0, full: false, lost: false, torn: false, misdirected: false } },
    { cpu: { on: 'all', slowdown: 1, cores: 0 } },
    { clock: { on: 'all', drift: 0 } },
    { start: 'all' },
    { failPoint: { on: 'all', name: 'failCommand', mode: 'off' } },
    // Otherwise electable members behind one of priority 0 wait for a primary that only they could be.
    ...(chains ? [] : [{ setParameter: { on: 'all', parameters: { enableOverrideClusterChainingSetting: true } } }]),
  ];
}

/** Whoever was removed may not have been added again. */
function actsInTheEnd({ names, configs }: DrawnSet): readonly Act[] {
  if (names.length < 2) return [];
  return names.map((name, i) => ({
    atMicros: HEALED_MICROS + (10 + 6 * i) * SECOND,
    does: { addMember: { on: 'primary', name, ...configs[i] } },
  }));
}

/** What may be lost with the primary that did it is there, and something is written that streams must show. Twice: somebody may take over. */
function writesInTheEnd(): readonly Fields[] {
  const [db = '', collection] = EXPIRING.split('.');
  const name = 'at_1';
  const ttlIndex = { key: { at: 1 }, name, expireAfterSeconds: SESSION_SECONDS };
  const commands: readonly Fields[] = [
    { collMod: collection, index: { name, expireAfterSeconds: SESSION_SECONDS } },
    // A member whose rollback finds no common point has died for good: it never votes that its index is built.
    { createIndexes: collection, indexes: [ttlIndex], commitQuorum: 'majority' },
    { insert: 'kept', documents: [{ _id: LAST }], writeConcern: { w: 'majority' } },
  ];
  return ['first', 'second'].flatMap((turn) => [
    { eventually: { within: '60s', primary: 'any' } },
    ...commands.map((command, i) => ({ run: { on: 'primary', db, command, as: `${turn}${i + 1}` } })),
    { advance: '10s' },
  ]);
}

/** In peace, a member that never leads refuses to start on a corrupt disk, is emptied, and copies everything from the others. */
function aDiskBreaks({ withData, names, configs, cutsOplogs }: DrawnSet, random: Random): readonly Fields[] {
  const followers = withData.filter((name) => configs[names.indexOf(name)]?.priority === 0);
  if (cutsOplogs || names.length < 3 || followers.length === 0 || random.chance(0.3)) return [];
  const one = random.pick(followers);
  return [
    { kill: one },
    { disk: { on: one, corrupt: true } },
    { start: { member: one, error: true } },
    { start: { member: one, wipe: true } },
  ];
}

function claimsOf({ cutsOplogs, withData }: DrawnSet, streams: readonly string[]): readonly Fields[] {
  const due = { on: 'primary', count: EXPIRING, filter: { at: { $lt: { $now: '0s' } } }, is: 0 };
  return [
    { eventually: { within: '60s', primary: 'any' } },
    ...streams.map((stream) => ({ eventually: { within: '120s', stream, events: [{ operationType: 'insert' }] } })),
    // A member that is too stale for the others' oplogs never says that its index is built.
    ...(cutsOplogs ? [] : [{ eventually: { within: '120s', ...due } }]),
    ...(cutsOplogs || withData.length < 2 ? [] : [{ eventually: { within: '900s', same: 'all' } }]),
  ];
}

/** As people write it: a line for each step, member and act. */
function written(scenario: Fields): string {
  const document = new Document(scenario, { aliasDuplicateObjects: false });
  const lists = [['steps'], ['meanwhile'], ['replicaSet', 'members'], ['replicaSet', 'spares']];
  for (const path of lists) {
    const list = document.getIn(path);
    if (!isSeq(list)) continue;
    for (const item of list.items) if (isMap(item)) item.flow = true;
  }
  for (const key of ['explore', 'parameters', 'network', 'costs']) {
    const map = document.get(key);
    if (isMap(map)) map.flow = true;
  }
  return document.toString({ lineWidth: 0 });
}
