import type { Now } from '@replsim/protocol';
import { ttlLog } from './logs.ts';
import type { Sleeping, TtlEffect, TtlState } from './ttlState.ts';

type SleepingState = TtlState & { readonly phase: Sleeping };

/** 3.2 takes a sleep of 0 and less, and then never rests; here it rests as long as this, so that time goes on. Unit: ms. */
const LEAST_SLEEP_MS = 1;

/** The pause begins when a pass ends, so passes have a fixed delay between them, not a fixed rate. */
export function fallAsleep(state: TtlState, now: Now, effects: TtlEffect[]): TtlState {
  const phase: Sleeping = { type: 'sleeping', since: now, sleepSecs: state.parameters.ttlMonitorSleepSecs };
  return armTimer({ ...state, phase }, now, effects);
}

/** Sets the timer for what is left of the sleep, in place of the one that is set. */
export function armTimer(state: SleepingState, now: Now, effects: TtlEffect[]): SleepingState {
  const { since, sleepSecs } = state.phase;
  effects.push(
    state.traits.ttlSleep === 'plain'
      ? { type: 'setTimer', afterMs: plainSleepMs(sleepSecs) - (now.monotonicMicros - since.monotonicMicros) / 1000 }
      : { type: 'setAlarm', wallMs: wakesAtMs(state) },
  );
  return state;
}

/**
 * Whether the sleeper may wake. It waits by the wall clock: one that is put back prolongs the wait, one that is put forward ends
 * it. 3.2 just sleeps. Upstream: TTLMonitor::run.
 */
export function isOver(state: SleepingState, now: Now): boolean {
  const { phase, traits } = state;
  if (traits.ttlSleep !== 'plain') return now.wallMs >= wakesAtMs(state);
  return now.monotonicMicros - phase.since.monotonicMicros >= plainSleepMs(phase.sleepSecs) * 1000;
}

/** A new `ttlMonitorSleepSecs` counts from where the running sleep began; it may be over at once. */
export function changeDeadline(state: SleepingState, effects: TtlEffect[]): SleepingState {
  const phase: Sleeping = { ...state.phase, sleepSecs: state.parameters.ttlMonitorSleepSecs };
  const oldDeadline = new Date(deadlineMs(state.phase));
  const newDeadline = new Date(deadlineMs(phase));
  effects.push({ type: 'log', line: ttlLog(7005501, { oldDeadline, newDeadline }) });
  return { ...state, phase };
}

function plainSleepMs(sleepSecs: number): number {
  return Math.max(sleepSecs * 1000, LEAST_SLEEP_MS);
}

/** A wait whose deadline can move goes on while `now <= deadline`, in whole milliseconds. */
function wakesAtMs({ phase, traits }: SleepingState): number {
  return deadlineMs(phase) + (traits.ttlSleep === 'movingDeadline' ? 1 : 0);
}

function deadlineMs({ since, sleepSecs }: Sleeping): number {
  return since.wallMs + sleepSecs * 1000;
}
