import type { Fact, Life, MemberLog, Seen } from '../logs/memberLog.ts';

/** A fact by the one clock of the scenario. Unit: ms since its time zero. */
export type Happened = Fact & { readonly host: string };

/** What one log says, by the scenario's clock. */
export interface Track {
  readonly host: string;
  readonly log: MemberLog;
  readonly facts: readonly Happened[];
  readonly lives: readonly Life[];
  readonly firstMs: number;
  readonly lastMs: number;
  readonly silences: MemberLog['silences'];
}

/** Something that is to happen in the scenario, and what speaks for it. */
export interface Deed {
  readonly atMs: number;
  /** One key, as a step or a fault has it. */
  readonly what: Readonly<Record<string, unknown>>;
  readonly because: string;
}

/** A log by the scenario's clock. @param aheadMs how much later than the scenario's its clock is */
export function trackOf(host: string, log: MemberLog, aheadMs: number): Track {
  const shift = (atMs: number) => atMs - aheadMs;
  const at = <T extends { readonly atMs: number }>(each: T): T => ({ ...each, atMs: shift(each.atMs) });
  return {
    host,
    log,
    facts: log.facts.map((fact) => ({
      ...at(fact),
      ...(fact.kind === 'rolledBack' && { lastMs: shift(fact.lastMs) }),
      host,
    })),
    lives: log.lives.map((life) => ({
      ...life,
      started: life.started && at(life.started),
      shutdown: life.shutdown && at(life.shutdown),
      lastMs: shift(life.lastMs),
    })),
    firstMs: shift(log.firstMs),
    lastMs: shift(log.lastMs),
    silences: log.silences.map(([from, to]) => [shift(from), shift(to)] as const),
  };
}

/** `n1.log:17`. */
export function placeOf({ file, line }: Seen): string {
  return `${file}:${line}`;
}

/** The facts of one kind in all logs, in the order of time. */
export function ofKind(tracks: readonly Track[], kind: Happened['kind']): readonly Happened[] {
  return tracks
    .flatMap(({ facts }) => facts)
    .filter((fact) => fact.kind === kind)
    .sort((a, b) => a.atMs - b.atMs);
}
