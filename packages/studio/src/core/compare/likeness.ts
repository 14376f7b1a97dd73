import type { TraceEvent } from '@replsim/protocol';
import {
  beginningInWords,
  differenceInWords,
  firstToldDifference,
  type TracedEvent,
  traceLine,
} from '@replsim/scenario';
import type { StoryLine } from '../run/player.ts';
import { isSameEvent } from './sameEvent.ts';

/** How far two runs are alike. */
export interface Likeness {
  /** What they began with, where that differs. */
  readonly began: string | undefined;
  /** How many events were the same, behind the beginning if that differs. */
  readonly equal: number;
  /** The first that differs; undefined if none does. */
  readonly parted: Parted | undefined;
  /** The first line of the story that says something else: what one sees of it. */
  readonly told: Told | undefined;
}

export interface Parted {
  /** In the run that came to it first. Unit: µs. */
  readonly atMicros: number;
  /** Its number in the trace, from 1. */
  readonly number: number;
  readonly words: string;
}

export interface Told {
  readonly atMicros: number;
  /** Undefined where that run had ended. */
  readonly one: StoryLine | undefined;
  readonly other: StoryLine | undefined;
}

/** A run that is over. */
export interface Whole {
  readonly events: readonly TraceEvent[];
  readonly lines: readonly StoryLine[];
}

/** What the two runs are called. */
const NAMES = ['the first', 'the second'] as const;

/** So many events are compared at once: some milliseconds. */
const AT_ONCE = 500;

/** Compares two runs as `replsim diff` compares their traces. */
export function likenessOf(one: Whole, other: Whole): Likeness {
  const work = comparing(one, other);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The same bit by bit: two long runs that are alike take seconds. */
function* comparing(one: Whole, other: Whole): Generator<undefined, Likeness> {
  const began = beginningOf(one.events, other.events);
  const index = yield* firstDifference(one.events, other.events);
  const end = index ?? one.events.length;
  return {
    began,
    equal: began === undefined ? end : end - 1,
    parted: index === undefined ? undefined : partedAt(index, one.events[index], other.events[index]),
    told: toldOf(one.lines, other.lines),
  };
}

function beginningOf([one]: readonly TraceEvent[], [other]: readonly TraceEvent[]): string | undefined {
  return one && other && beginningInWords(NAMES, traced(one), traced(other));
}

function* firstDifference(
  one: readonly TraceEvent[],
  other: readonly TraceEvent[],
): Generator<undefined, number | undefined> {
  const most = Math.max(one.length, other.length);
  for (let i = 1; i < most; i++) {
    if (!isSameEvent(one[i], other[i])) return i;
    if (i % AT_ONCE === 0) yield;
  }
  return undefined;
}

function partedAt(index: number, one: TraceEvent | undefined, other: TraceEvent | undefined): Parted {
  const number = index + 1;
  const words = differenceInWords(NAMES, { number, one: one && traced(one), other: other && traced(other) });
  return { number, atMicros: earliest(one, other), words };
}

/** Behind the line about the beginning, and whatever the time: another latency alone tells nothing yet. */
function toldOf(one: readonly StoryLine[], other: readonly StoryLine[]): Told | undefined {
  const index = firstToldDifference(one, other, 1);
  if (index === undefined) return undefined;
  const [line, otherLine] = [one[index], other[index]];
  return { atMicros: earliest(line, otherLine), one: line, other: otherLine };
}

type Timed = { readonly atMicros: number } | undefined;

function earliest(one: Timed, other: Timed): number {
  return Math.min(one?.atMicros ?? Number.POSITIVE_INFINITY, other?.atMicros ?? Number.POSITIVE_INFINITY);
}

/** As the lines of a trace have it. */
function traced(event: TraceEvent): TracedEvent {
  return JSON.parse(traceLine(event));
}
