import type { Random } from '@replsim/kernel';
import type { Act } from './acts.ts';
import type { DrawnSet, Fields } from './set.ts';

const SECOND = 1_000_000;
/** Longer than a primary that is cut off stays one, in a set with default settings. */
const OFF_SECONDS = [11, 30] as const;

type Told = readonly (readonly [afterSeconds: number, does: Fields])[];

/** A primary goes on writing where nobody hears of it. */
const cutOff = (_: DrawnSet, random: Random): Told => [
  [0, { partition: [['primary'], ['all']] }],
  [random.int(...OFF_SECONDS), { heal: 'all' }],
];

/** The others do not have what it wrote last, and it dies. */
const diesAhead = (_: DrawnSet, random: Random): Told => {
  const lagSeconds = random.int(2, 10);
  return [
    [0, { hold: { on: 'secondaries', part: random.pick(['fetch', 'apply']) } }],
    [lagSeconds, { kill: 'primary' }],
    [lagSeconds + random.pick([0, 1, 15]), { release: 'all' }],
    [lagSeconds + random.int(...OFF_SECONDS), { start: 'all' }],
  ];
};

/** Nobody has any more what one lacks, which has to copy everything. */
const tooStale = ({ withData }: DrawnSet, random: Random): Told => {
  const one = random.pick(withData);
  const offSeconds = random.int(5, 15);
  return [
    [0, { kill: one }],
    [offSeconds, { truncateOplog: { on: 'all', olderThan: '0s' } }],
    [offSeconds + 1, { start: one }],
    [offSeconds + 25, { restart: { member: one, wipe: true } }],
  ];
};

/** The power fails for everybody, and what the journals hold is all that is left. */
const goesDark = (_: DrawnSet, random: Random): Told => [
  [0, { kill: 'all' }],
  [random.int(1, 20), { start: 'all' }],
];

/** A record of the journal goes to a wrong place, and its member is emptied. */
const misdirects = ({ withData }: DrawnSet, random: Random): Told => {
  const one = random.pick(withData);
  const offSeconds = random.int(2, 20);
  return [
    [0, { disk: { on: one, misdirected: true } }],
    [offSeconds, { restart: { member: one, wipe: true } }],
    [offSeconds + 1, { disk: { on: one, misdirected: false } }],
  ];
};

/** What goes wrong in an order that chance hardly ever hits upon: it ends in a rollback, or in catching up. */
const STORIES: readonly ((set: DrawnSet, random: Random) => Told)[] = [
  cutOff,
  cutOff,
  cutOff,
  diesAhead,
  // They may not have it either when it gives up.
  (_, random) => {
    const lagSeconds = random.int(2, 10);
    const stepDownSecs = random.int(5, 30);
    return [
      [0, { hold: { on: 'secondaries', part: 'fetch' } }],
      [lagSeconds, { stepDown: { on: 'primary', force: true, stepDownSecs } }],
      [lagSeconds + random.pick([1, 12, 20]), { release: 'all' }],
    ];
  },
  // One that lags is made primary: it has to catch up, or somebody else takes over.
  ({ withData }, random) => {
    const one = random.pick(withData);
    const lagSeconds = random.int(2, 12);
    return [
      [0, { hold: { on: one, part: random.pick(['fetch', 'apply']) } }],
      [lagSeconds, { stepUp: { on: one } }],
      [lagSeconds + random.pick([0, 1, 5, 20]), { release: 'all' }],
    ];
  },
];

/** @param from and the others say between which instants it may begin */
export function drawStories(set: DrawnSet, [from, to]: readonly [number, number], random: Random): readonly Act[] {
  if (set.names.length < 2) return [];
  const drawn = Array.from({ length: random.pick([2, 2, 3, 3]) }, () => random.pick(STORIES));
  const dark = random.split('power').chance(0.2) ? [goesDark] : [];
  const lies = set.disksLie && !set.cutsOplogs ? [misdirects] : [];
  return [...drawn, ...(set.cutsOplogs ? [tooStale] : []), ...dark, ...lies].flatMap((story) => {
    const begins = random.int(from, to);
    return story(set, random).map(([after, does]) => ({ atMicros: begins + after * SECOND, does }));
  });
}
