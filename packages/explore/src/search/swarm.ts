import type { Random } from '@replsim/kernel';
import { type Draw, type Drawn, drawOf, type Needs } from '@replsim/scenario';
import type { FaultAt } from './draft.ts';

/** Within what faults are drawn. */
export interface Field {
  /** Every member, and those of them whom faults befall. */
  readonly members: readonly string[];
  readonly befalls: readonly string[];
  /** Those that hold no data. */
  readonly arbiters: readonly string[];
  readonly hasClients: boolean;
  /** Those that may be drawn. */
  readonly kinds: readonly string[];
  /** They begin in this stretch. */
  readonly fromMicros: number;
  readonly toMicros: number;
  /** All of them are over by then, … */
  readonly overMicros: number;
  /** … unless some may last. */
  readonly heal: boolean;
  /** So many at most. */
  readonly atMost: number;
}

/** How one run draws: nothing of it is the same in the next. */
interface Style {
  readonly mix: readonly string[];
  /** Where faults begin: anywhere, or close together. */
  readonly fromMicros: number;
  readonly toMicros: number;
  /** How long they last. */
  readonly shortestMicros: number;
  readonly longestMicros: number;
}

/** What is taken hold of, and from when to when. */
type Held = Map<string, [fromMicros: number, toMicros: number][]>;

const SECOND = 1_000_000;
const SHORTEST_MICROS = SECOND / 10;
const LONGEST_MICROS = 60 * SECOND;
/** Blinks, outages that members notice, which is most of them, and whatever there is. */
const LENGTHS = [
  [SHORTEST_MICROS, 2 * SECOND],
  [10 * SECOND, LONGEST_MICROS],
  [10 * SECOND, LONGEST_MICROS],
  [SHORTEST_MICROS, LONGEST_MICROS],
] as const;
const BURST_MICROS = 3 * SECOND;

/** Those of the kinds that can befall what there is. */
export function possibleKinds({ kinds, members, befalls, arbiters, hasClients }: Field): readonly string[] {
  const has: Readonly<Record<Needs, boolean>> = {
    'several members': members.length > 1,
    data: befalls.some((name) => !arbiters.includes(name)),
    clients: hasClients,
  };
  return kinds.filter((kind) => drawOf(kind)?.needs.every((need) => has[need]));
}

/**
 * Draws what goes wrong in one run: its own mix of kinds, its own number, its own lengths, and of each when, to whom and for how long. What
 * begins ends in time, so that what is claimed of the end is fair, unless some of it may last.
 */
export function drawFaults(field: Field, random: Random): readonly FaultAt[] {
  const possible = possibleKinds(field);
  if (possible.length === 0 || field.toMicros <= field.fromMicros) return [];
  const style = styleOf(field, possible, random);
  const held: Held = new Map();
  const faults: FaultAt[] = [];
  for (let number = random.int(1, field.atMost + 1); number > 0; number--) {
    const draw = drawOf(random.pick(style.mix));
    if (draw) faults.push(...drawOne(draw, { field, style, held, number }, random));
  }
  return faults.sort((a, b) => a.atMicros - b.atMicros);
}

function styleOf({ fromMicros, toMicros }: Field, possible: readonly string[], random: Random): Style {
  const chosen = possible.filter(() => random.chance(0.5));
  const [shortestMicros, longestMicros] = random.pick(LENGTHS);
  const isBurst = random.chance(0.3);
  const from = isBurst ? random.int(fromMicros, toMicros) : fromMicros;
  return {
    mix: chosen.length > 0 ? chosen : [random.pick(possible)],
    fromMicros: from,
    toMicros: isBurst ? Math.min(from + BURST_MICROS, toMicros) : toMicros,
    shortestMicros,
    longestMicros,
  };
}

interface Turn {
  readonly field: Field;
  readonly style: Style;
  readonly held: Held;
  /** From 1. */
  readonly number: number;
}

function drawOne(draw: Draw, { field, style, held, number }: Turn, random: Random): readonly FaultAt[] {
  const drawn = whom(draw, field, number, random);
  const { fromMicros, toMicros, shortestMicros, longestMicros } = style;
  const { leastMicros = 0, endMicros: endsIn = 0 } = draw;
  const atMicros = random.int(fromMicros, toMicros);
  const lasts = Math.round(shortestMicros * (longestMicros / shortestMicros) ** random.float());
  const isLasting = !field.heal && draw.end !== undefined && random.chance(0.5);
  const latestMicros = field.overMicros - endsIn;
  if (atMicros + leastMicros > latestMicros) return [];
  const endMicros = Math.min(atMicros + Math.max(lasts, leastMicros), latestMicros);
  const overMicros = isLasting ? Number.MAX_SAFE_INTEGER : endMicros + endsIn;
  const what = draw.holds(drawn);
  const others = held.get(what) ?? [];
  if (others.some(([from, to]) => atMicros <= to && overMicros >= from)) return [];
  held.set(what, [...others, [atMicros, overMicros]]);
  const fault = draw.begin(drawn);
  const ends = isLasting ? [] : (draw.end?.(drawn, fault) ?? []);
  return [{ atMicros, fault }, ...ends.map((end) => ({ atMicros: endMicros, fault: end }))];
}

/** Whom one fault befalls. */
function whom(draw: Draw, { members, befalls, arbiters }: Field, number: number, random: Random): Drawn {
  const fit = draw.needs.includes('data') ? befalls.filter((name) => !arbiters.includes(name)) : befalls;
  const one = random.pick(fit);
  const others = random.shuffle(members.filter((name) => name !== one));
  const besides = others.filter((name) => befalls.includes(name));
  const side = [one, ...besides.slice(0, random.int(0, Math.max(0, Math.min(besides.length, members.length - 2)) + 1))];
  const rest = members.filter((name) => !side.includes(name));
  return { one, other: others[0] ?? one, sides: [side.sort(), rest], random, number };
}
