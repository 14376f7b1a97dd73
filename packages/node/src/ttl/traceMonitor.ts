import { collectionSeconds } from '@replsim/pipeline';
import type { MemberTrace } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { type TtlState, truncateSeconds } from '@replsim/ttl';

type Sleeping = Extract<TtlState['phase'], { type: 'sleeping' }>;
type Watched = Pick<TtlState, 'phase' | 'parameters'>;
type MonitorTrace = Extract<MemberTrace, { type: 'ttlMonitor' }>;
type RegisteredTrace = Extract<MemberTrace, { type: 'ttlIndexRegistered' }>;

/** What the monitor's thread turns to, as a trace event; undefined while it goes on with what it was at. */
export function phaseTrace(before: Watched, after: Watched): MonitorTrace | undefined {
  const { ttlMonitorEnabled } = after.parameters;
  if (after.phase.type === 'sleeping') {
    if (before.phase.type === 'sleeping' && sleepsOn(before.phase, after.phase)) {
      if (before.parameters.ttlMonitorEnabled === ttlMonitorEnabled) return;
    }
    const { since, sleepSecs } = after.phase;
    const sinceMicros = since.monotonicMicros;
    const wakeMicros = sinceMicros + sleepSecs * 1_000_000 + 1000;
    const disabled = ttlMonitorEnabled ? {} : { disabled: true as const };
    return { type: 'ttlMonitor', phase: 'sleeping', sinceMicros, wakeMicros, ...disabled };
  }
  // A monitor that wakes is in its pass at once, unless a fail point holds it; that has an event of its own.
  if (before.phase.type === after.phase.type || after.phase.type === 'awake') return undefined;
  return { type: 'ttlMonitor', phase: after.phase.type };
}

function sleepsOn(before: Sleeping, after: Sleeping): boolean {
  return before.since === after.since && before.sleepSecs === after.sleepSecs;
}

/** That an index, or without a name the collection itself, is the monitor's business from now on. */
export function registeredTrace(collection: CollectionView, indexName: string | undefined): RegisteredTrace {
  const seconds =
    indexName === undefined
      ? collectionSeconds(collection.options)
      : collection.index(indexName)?.spec.expireAfterSeconds;
  return {
    type: 'ttlIndexRegistered',
    ns: collection.ns,
    index: indexName ?? '_id_',
    ...(seconds && { expireAfterSeconds: Number(truncateSeconds(seconds)) }),
  };
}
