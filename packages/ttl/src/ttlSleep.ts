import { isLegacyMonitor } from './legacy.ts';
import { ttlLog } from './logs.ts';
import type { Now, Sleeping, TtlEffect, TtlState } from './ttlState.ts';

/** The pause begins when a pass ends, so passes have a fixed delay between them, not a fixed rate. */
export function fallAsleep(state: TtlState, now: Now, effects: TtlEffect[]): TtlState {
  return armTimer({ ...state, phase: sleepFrom(state, now) }, now, effects);
}

function sleepFrom({ parameters, traits }: TtlState, since: Now): Sleeping {
  const { ttlMonitorSleepSecs: sleepSecs } = parameters;
  // The wait goes on while `now <= deadline` on a clock of milliseconds, so it ends one of them later; 3.2 just sleeps.
  const extraMicros = isLegacyMonitor(traits) ? 0 : 1000;
  const wakeMicros = since.monotonicMicros + sleepSecs * 1_000_000 + extraMicros;
  return { type: 'sleeping', since, sleepSecs, wakeMicros };
}

/** Sets the timer for what is left of the sleep, in place of the one that is set. */
export function armTimer<S extends TtlState & { phase: Sleeping }>(state: S, now: Now, effects: TtlEffect[]): S {
  effects.push({ type: 'setTimer', afterMs: (state.phase.wakeMicros - now.monotonicMicros) / 1000 });
  return state;
}

/** Whether the sleeper may wake. */
export function isOver({ wakeMicros }: Sleeping, now: Now): boolean {
  return now.monotonicMicros >= wakeMicros;
}

/**
 * A new `ttlMonitorSleepSecs` counts from where the running sleep began; it may be over at once.
 * Wall-clock jumps do not move the deadline (mongod waits by its wall clock). Upstream: TTLMonitor::run.
 */
export function changeDeadline(
  state: TtlState & { phase: Sleeping },
  effects: TtlEffect[],
): TtlState & { phase: Sleeping } {
  const { since, sleepSecs } = state.phase;
  const phase = sleepFrom(state, since);
  const oldDeadline = new Date(since.wallMs + sleepSecs * 1000);
  const newDeadline = new Date(since.wallMs + phase.sleepSecs * 1000);
  effects.push({ type: 'log', line: ttlLog(7005501, { oldDeadline, newDeadline }) });
  return { ...state, phase };
}
