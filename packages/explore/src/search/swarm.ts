import type { Random } from '@replsim/kernel';
import type { FaultKind } from '@replsim/replset';
import type { FaultAt } from './draft.ts';

/** Within what faults are drawn. */
export interface Field {
  readonly members: readonly string[];
  /** Those that may be drawn; all by default. */
  readonly kinds: readonly string[];
  /** They begin in this stretch. */
  readonly fromMicros: number;
  readonly toMicros: number;
  /** So many at most. */
  readonly atMost: number;
}

type Fault = FaultAt['fault'];

/** A kind of fault as it is drawn: what it takes hold of, so that no two of the same are under way at once, and how it ends. */
interface Draw {
  readonly holds: (drawn: Drawn) => string;
  readonly begin: (drawn: Drawn) => Fault;
  /** Absent: it is over at once. */
  readonly end?: (drawn: Drawn) => Fault;
  /** It takes so long to begin. */
  readonly leastMicros?: number;
}

/** What chance has chosen for one. */
interface Drawn {
  readonly one: string;
  readonly other: string;
  readonly sides: readonly (readonly string[])[];
  readonly random: Random;
}

const process = ({ one }: Drawn) => `process of ${one}`;
const network = () => 'network';

/** A quiesce mode of 15 s, and what comes before it. */
const SHUTDOWN_MICROS = 30_000_000;

/** How each is drawn; of those that are missing here none is. */
const DRAWS: Partial<Readonly<Record<FaultKind, Draw>>> = {
  kill: { holds: process, begin: ({ one }) => ({ kill: one }), end: ({ one }) => ({ start: one }) },
  shutdown: {
    holds: process,
    begin: ({ one }) => ({ shutdown: one }),
    end: ({ one }) => ({ start: one }),
    leastMicros: SHUTDOWN_MICROS,
  },
  pause: { holds: process, begin: ({ one }) => ({ pause: one }), end: ({ one }) => ({ resume: one }) },
  partition: { holds: network, begin: ({ sides }) => ({ partition: sides }), end: () => ({ heal: 'all' }) },
  cut: { holds: network, begin: ({ one, other }) => ({ cut: { from: one, to: other } }), end: () => ({ heal: 'all' }) },
  disconnect: { holds: network, begin: ({ one, other }) => ({ disconnect: { from: one, to: other } }) },
  link: {
    holds: network,
    begin: ({ one, other, random }) => ({
      link: {
        between: [one, other],
        ...random.pick([{ loss: 0.3 }, { latencyMs: [200, 900] }, { duplicate: 0.3, reorder: 0.3 }]),
      },
    }),
    end: () => ({ heal: 'all' }),
  },
};

/** The kinds that can be drawn. */
export const DRAWN_KINDS = Object.keys(DRAWS);

const SHORTEST_MICROS = 100_000;
const LONGEST_MICROS = 60_000_000;

/**
 * Draws what goes wrong in one run: its own mix of kinds, its own number, and of each when, to whom and for how long. What begins ends,
 * before `toMicros` at the latest, so that what is claimed of the end is fair.
 */
export function drawFaults(field: Field, random: Random): readonly FaultAt[] {
  const { members, fromMicros, toMicros, atMost } = field;
  const possible = field.kinds.filter((kind) => isPossible(kind, members.length));
  if (possible.length === 0 || toMicros <= fromMicros) return [];
  const chosen = possible.filter(() => random.chance(0.5));
  const mix = chosen.length > 0 ? chosen : [random.pick(possible)];
  const held = new Map<string, [fromMicros: number, toMicros: number][]>();
  const faults: FaultAt[] = [];
  for (let i = random.int(1, atMost + 1); i > 0; i--) {
    const draw = DRAWS[random.pick(mix) as FaultKind];
    if (draw) faults.push(...drawOne(draw, field, random, held));
  }
  return faults.sort((a, b) => a.atMicros - b.atMicros);
}

function isPossible(kind: string, members: number): boolean {
  if (!(kind in DRAWS)) return false;
  return members > 1 || ['kill', 'shutdown', 'pause'].includes(kind);
}

function drawOne(
  draw: Draw,
  { members, fromMicros, toMicros }: Field,
  random: Random,
  held: Map<string, [number, number][]>,
): readonly FaultAt[] {
  const [one = '', other = ''] = random.shuffle(members);
  const drawn: Drawn = { one, other, sides: sidesOf(members, random), random };
  const atMicros = random.int(fromMicros, toMicros);
  const lasts = Math.round(SHORTEST_MICROS * (LONGEST_MICROS / SHORTEST_MICROS) ** random.float());
  const { leastMicros = 0 } = draw;
  if (atMicros + leastMicros > toMicros) return [];
  const endMicros = Math.min(atMicros + Math.max(lasts, leastMicros), toMicros);
  const what = draw.holds(drawn);
  const others = held.get(what) ?? [];
  if (others.some(([from, to]) => atMicros <= to && endMicros >= from)) return [];
  held.set(what, [...others, [atMicros, endMicros]]);
  const begin = { atMicros, fault: draw.begin(drawn) };
  return draw.end ? [begin, { atMicros: endMicros, fault: draw.end(drawn) }] : [begin];
}

function sidesOf(members: readonly string[], random: Random): readonly (readonly string[])[] {
  const shuffled = random.shuffle(members);
  const at = random.int(1, Math.max(members.length, 2));
  return [shuffled.slice(0, at).sort(), shuffled.slice(at).sort()];
}
