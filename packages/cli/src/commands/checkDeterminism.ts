import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TraceEvent } from '@replsim/protocol';
import type { CreateSet, Scenario } from '@replsim/scenario';
import { linesOf } from '../linesOf.ts';

/** How many equal events are shown before the one that differs. */
const SHOWN_BEFORE = 5;

/** Where two runs of one scenario part. */
export interface Difference {
  /** The event's number in the trace, from 1. */
  readonly number: number;
  /** Its virtual time, in the run that came to it first. */
  readonly atMicros: number;
  /** The event as each run has it; undefined where that run had ended. */
  readonly first: string | undefined;
  readonly second: string | undefined;
  /** The last events before it, which were equal. */
  readonly before: readonly string[];
}

export interface Determinism {
  /** How many events were equal. */
  readonly events: number;
  readonly difference?: Difference;
}

/** Thrown out of the second run, of which nothing more is asked. */
class Parted extends Error {}

/**
 * Plays a scenario twice and compares the traces, line by line, as the second comes about; the first lies in a file meanwhile.
 * What the scenario expects is not the question: a run that fails twice in the same way is the same.
 */
export async function checkDeterminism(scenario: Scenario, seed: number, create: CreateSet): Promise<Determinism> {
  const { playScenario, traceLine } = await import('@replsim/scenario');
  const { Checkers } = await import('@replsim/checker');
  const play = (onTrace: (event: TraceEvent) => void) => {
    const checkers = new Checkers();
    return playScenario(scenario, create, { seed, observers: [(event) => checkers.observe(event)], onTrace });
  };
  const folder = mkdtempSync(join(tmpdir(), 'replsim-'));
  const file = openSync(join(folder, 'trace'), 'w+');
  try {
    await play((event) => writeSync(file, `${traceLine(event)}\n`));
    const comparison = new Comparison(file);
    try {
      await play((event) => comparison.take(traceLine(event), event.atMicros));
    } catch (error) {
      if (!(error instanceof Parted)) throw error;
    }
    return comparison.end();
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

class Comparison {
  readonly #lines: Iterator<string>;
  readonly #before: string[] = [];
  #events = 0;
  #difference: Difference | undefined;

  constructor(file: number) {
    this.#lines = linesOf(file);
  }

  /** @throws Parted at the first that differs */
  take(second: string, atMicros: number): void {
    const { value: first } = this.#lines.next() as { value: string | undefined };
    if (first === second) {
      this.#events++;
      this.#before.push(second);
      if (this.#before.length > SHOWN_BEFORE) this.#before.shift();
      return;
    }
    const earliest = first === undefined ? atMicros : Math.min(atMicros, microsOf(first));
    this.#differs(first, second, earliest);
    throw new Parted();
  }

  end(): Determinism {
    const rest = this.#difference === undefined ? this.#lines.next() : { done: true as const };
    if (!rest.done) this.#differs(rest.value, undefined, microsOf(rest.value));
    return { events: this.#events, ...(this.#difference && { difference: this.#difference }) };
  }

  #differs(first: string | undefined, second: string | undefined, atMicros: number): void {
    this.#difference = { number: this.#events + 1, atMicros, first, second, before: this.#before };
  }
}

function microsOf(line: string): number {
  return (JSON.parse(line) as TraceEvent).atMicros;
}

/** Where two runs part, for people. */
export function differenceInWords({ number, atMicros, first, second, before }: Difference): string {
  const ended = '(the run had ended)';
  const shown = before.map((line) => `    ${line}\n`).join('');
  const equal = before.length === 0 ? '' : `  the last equal events before it:\n${shown}`;
  return `  first at ${(atMicros / 1e6).toFixed(6)}s of virtual time, event ${number}:\n${equal}  one run:   ${first ?? ended}\n  the other: ${second ?? ended}\n`;
}
