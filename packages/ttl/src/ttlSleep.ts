import type { Now } from '@replsim/protocol';
import { isLegacyMonitor } from './legacy.ts';
import { ttlLog } from './logs.ts';
import type { Sleeping, TtlEffect, TtlState } from './ttlState.ts';

type SleepingState = TtlState & { readonly phase: Sleeping };

/** The pause begins when a pass ends, so passes have a fixed delay between them, not a fixed rate. */
export function fallAsleep(state: TtlState, now: Now, effects: TtlEffect[]): TtlState {
  const phase: Sleeping = { type: 'sleeping', since: now, sleepSecs: state.parameters.ttlMonitorSleepSecs };
  return armTimer({ ...state, phase }, now, effects);
}

/** Sets the timer for what is left of the sleep, in place of the one that is set. */
export function armTimer(state: SleepingState, now: Now, effects: TtlEffect[]): SleepingState {
  const { since, sleepSecs } = state.phase;
  effects.push(
    isLegacyMonitor(state.traits)
      ? { type: 'setTimer', afterMs: sleepSecs * 1000 - (now.monotonicMicros - since.monotonicMicros) / 1000 }
      : { type: 'setAlarm', wallMs: deadlineMs(state.phase) + 1 },
  );
  return state;
}

/**
 * Whether the sleeper may wake. The wait goes on while `now <= deadline`, by the wall clock in whole milliseconds: a clock
 * that is put back prolongs it, one that is put forward ends it. 3.2 just sleeps. Upstream: TTLMonitor::run.
 */
export function isOver({ phase, traits }: SleepingState, now: Now): boolean {
  if (!isLegacyMonitor(traits)) return now.wallMs > deadlineMs(phase);
  return now.monotonicMicros - phase.since.monotonicMicros >= phase.sleepSecs * 1_000_000;
}

/** A new `ttlMonitorSleepSecs` counts from where the running sleep began; it may be over at once. */
export function changeDeadline(state: SleepingState, effects: TtlEffect[]): SleepingState {
  const phase: Sleeping = { ...state.phase, sleepSecs: state.parameters.ttlMonitorSleepSecs };
  const oldDeadline = new Date(deadlineMs(state.phase));
  const newDeadline = new Date(deadlineMs(phase));
  effects.push({ type: 'log', line: ttlLog(7005501, { oldDeadline, newDeadline }) });
  return { ...state, phase };
}

function deadlineMs({ since, sleepSecs }: Sleeping): number {
  return since.wallMs + sleepSecs * 1000;
}
