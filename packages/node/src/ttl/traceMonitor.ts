import { collectionSeconds } from '@replsim/database';
import type { MemberTrace } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { type TtlState, truncateSeconds } from '@replsim/ttl';

type Phase = TtlState['phase'];
type MonitorTrace = Extract<MemberTrace, { type: 'ttlMonitor' }>;
type RegisteredTrace = Extract<MemberTrace, { type: 'ttlIndexRegistered' }>;

/** What the monitor's thread turns to, as a trace event; undefined while it goes on with what it was at. */
export function phaseTrace(before: Phase, after: Phase): MonitorTrace | undefined {
  if (after.type === 'sleeping') {
    if (before.type === 'sleeping' && before.since === after.since && before.sleepSecs === after.sleepSecs) return;
    const { since, sleepSecs } = after;
    const wakeMicros = since.monotonicMicros + sleepSecs * 1_000_000 + 1000;
    return { type: 'ttlMonitor', phase: 'sleeping', sinceMicros: since.monotonicMicros, wakeMicros };
  }
  // Whoever is awake is in its pass at once, unless a fail point holds it up; that has an event of its own.
  if (before.type === after.type || after.type === 'awake') return undefined;
  return { type: 'ttlMonitor', phase: after.type };
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
