import type { Random } from '@replsim/kernel';
import type { MemberSpec } from '@replsim/replset';
import { type Draw, type Drawn, drawOf, type Needs } from '@replsim/scenario';
import type { FaultAt } from './draft.ts';

/** Within what faults are drawn. */
export interface Field {
  /** Every member, and those of them whom faults befall. */
  readonly members: readonly string[];
  readonly befalls: readonly string[];
  /** Every member as the file has it. */
  readonly specs: readonly MemberSpec[];
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
  /** Whether they may overlap, whatever they take hold of. */
  readonly overlap: boolean;
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
export function possibleKinds(field: Field): readonly string[] {
  const { kinds, members, specs, hasClients } = field;
  const has: Readonly<Record<Needs, boolean>> = {
    'several members': members.length > 1,
    data: withData(field).length > 0,
    clients: hasClients,
    'a vote to spare': canSpareAVote(field),
    spares: specs.some(({ spare }) => spare === true),
  };
  return kinds.filter((kind) => drawOf(kind)?.needs.every((need) => has[need]));
}

/** Those whom faults befall, without arbiters. */
function withData({ befalls, specs }: Field): readonly string[] {
  const arbiters = specs.filter(({ config }) => config?.arbiterOnly === true).map(({ name }) => name);
  return befalls.filter((name) => !arbiters.includes(name));
}

/**
 * Whether voters with data are still a majority when one of them is gone. Otherwise a primary commits alone as soon as it has such a config,
 * while the others may elect somebody by the one before: what it acknowledged is then lost, in mongod as well.
 */
function canSpareAVote({ specs }: Field): boolean {
  const voters = specs.filter(({ spare, standalone, config }) => !spare && !standalone && config?.votes !== 0);
  const withData = voters.filter(({ config }) => config?.arbiterOnly !== true).length;
  return withData - 1 >= Math.floor((voters.length - 1) / 2) + 1;
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
  const isAlone = !field.overlap || draw.alone === true;
  if (isAlone && !takes(held, draw.holds(drawn), atMicros, overMicros)) return [];
  const fault = draw.begin(drawn);
  const ends = isLasting ? [] : (draw.end?.(drawn, fault) ?? []);
  const optional = field.overlap || draw.mayFail === true ? { optional: true } : {};
  return [{ atMicros, fault, ...optional }, ...ends.map((end) => ({ atMicros: endMicros, fault: end, ...optional }))];
}

/** Whether nobody has it in that time; then it is taken. */
function takes(held: Held, what: string, fromMicros: number, toMicros: number): boolean {
  const others = held.get(what) ?? [];
  if (others.some(([from, to]) => fromMicros <= to && toMicros >= from)) return false;
  held.set(what, [...others, [fromMicros, toMicros]]);
  return true;
}

/** Whom one fault befalls. */
function whom(draw: Draw, field: Field, number: number, random: Random): Drawn {
  const { members, befalls, specs, overlap } = field;
  const one = random.pick(draw.needs.includes('data') ? withData(field) : befalls);
  const others = random.shuffle(members.filter((name) => name !== one));
  const besides = others.filter((name) => befalls.includes(name));
  const side = [one, ...besides.slice(0, random.int(0, Math.max(0, Math.min(besides.length, members.length - 2)) + 1))];
  const rest = members.filter((name) => !side.includes(name));
  return { one, other: others[0] ?? one, sides: [side.sort(), rest], specs, random, overlaps: overlap, number };
}
