import type { Now } from '@replsim/protocol';
import { shouldStartMonitor } from './eligibility.ts';
import { ttlLog } from './logs.ts';
import { register, type TtlEntry } from './ttlCache.ts';
import { beginPass, endVisit, forgetGone, giveUpPass } from './ttlPass.ts';
import { armTimer, changeDeadline, fallAsleep, isOver } from './ttlSleep.ts';
import type { InPass, Sleeping, TtlEffect, TtlEvent, TtlState } from './ttlState.ts';

/**
 * Moves one member's TTL monitor on by one event.
 * @param now this member's clocks; expiry is judged by `wallMs`, so a skewed clock expires early or late
 * @returns the next state, then the effects in the order in which they must be carried out
 */
export function step(state: TtlState, event: TtlEvent, now: Now): [state: TtlState, effects: TtlEffect[]] {
  const effects: TtlEffect[] = [];
  return [next(state, event, now, effects), effects];
}

function next(state: TtlState, event: TtlEvent, now: Now, effects: TtlEffect[]): TtlState {
  switch (event.type) {
    case 'started':
      if (state.phase.type !== 'off' || !shouldStartMonitor(event.process)) return state;
      return fallAsleep(state, now, effects);
    case 'timer':
      // Only a sleeper has a timer. One that went off early is set again.
      if (!isSleeping(state)) return state;
      return isOver(state, now) ? wake(state, now, effects) : armTimer(state, now, effects);
    case 'parameterChanged':
      return parameterChanged(
        { ...state, parameters: { ...state.parameters, [event.name]: event.value } },
        now,
        effects,
      );
    case 'memberChanged':
      // A visit under way is not ended here: the stepdown that interrupts it says so by its result.
      return { ...state, member: event.member };
    case 'indexesRegistered':
      return registered(isInPass(state) ? forgetGone(state) : state, event.entries);
    case 'visitEnded':
      // The answer to a visit that is not under way belongs to a pass that a shutdown cut short.
      if (!isInPass(state) || state.phase.visit?.id !== event.visit) return state;
      return endVisit(state, event.result, now, effects);
    case 'passBegins':
      return state.phase.type === 'awake' ? beginPass(state, now, effects) : state;
    case 'passGivenUp':
      return state.phase.type === 'awake' ? giveUpPass(state, event, now, effects) : state;
    case 'stopped':
      return stop(state, effects);
  }
}

function registered(state: TtlState, entries: readonly TtlEntry[]): TtlState {
  return { ...state, cache: register(state.cache, entries) };
}

/** Upstream: TTLMonitor::run, from the end of its wait on. */
function wake(state: TtlState, now: Now, effects: TtlEffect[]): TtlState {
  effects.push({ type: 'log', line: ttlLog(22528) });
  if (!state.parameters.ttlMonitorEnabled) {
    effects.push({ type: 'log', line: ttlLog(22529) });
    return fallAsleep(state, now, effects);
  }
  if (state.member.fsyncLocked) {
    effects.push({ type: 'log', line: ttlLog(22530) });
    return fallAsleep(state, now, effects);
  }
  effects.push({ type: 'passDue' });
  return { ...state, phase: { type: 'awake' } };
}

/** Only the sleep has to hear of it: all else is read where it is needed. */
function parameterChanged(state: TtlState, now: Now, effects: TtlEffect[]): TtlState {
  if (!isSleeping(state) || state.traits.ttlSleep !== 'movingDeadline') return state;
  if (state.phase.sleepSecs === state.parameters.ttlMonitorSleepSecs) return state;
  const moved = changeDeadline(state, effects);
  if (!isOver(moved, now)) return armTimer(moved, now, effects);
  effects.push({ type: 'cancelTimer' });
  return wake(moved, now, effects);
}

function stop(state: TtlState, effects: TtlEffect[]): TtlState {
  if (state.phase.type === 'off') return state;
  effects.push({ type: 'log', line: ttlLog(3684100) });
  if (isSleeping(state)) effects.push({ type: 'cancelTimer' });
  effects.push({ type: 'log', line: ttlLog(3684101) });
  return { ...state, phase: { type: 'off' } };
}

function isSleeping(state: TtlState): state is TtlState & { phase: Sleeping } {
  return state.phase.type === 'sleeping';
}

function isInPass(state: TtlState): state is TtlState & { phase: InPass } {
  return state.phase.type === 'inPass';
}
