import type { RegisterCall } from './history.ts';
import { valueText } from './linearizable.ts';
import { type Anomaly, instantText, type Verdict, verdictOf } from './verdict.ts';

/**
 * A client that has written a document, and was told so, never reads what was there before.
 * Source: Terry et al., "Session guarantees for weakly consistent replicated data".
 */
export function readYourWrites(calls: readonly RegisterCall[]): Verdict {
  const order = new WriteOrder(calls);
  const written = new Map<string, RegisterCall>();
  const anomalies: Anomaly[] = [];
  for (const call of inOrder(calls)) {
    const id = clientAndKey(call);
    const own = written.get(id);
    if (call.kind === 'write') written.set(id, call);
    else if (own && order.doneBy(call.key, call.value) < own.calledMicros) {
      const detail =
        `${readText(call)}, and had written ${valueText(own.value)} there before, ` +
        `acknowledged at ${instantText(own.returnedMicros)}`;
      anomalies.push({ name: 'own write not read', detail });
    }
  }
  return verdictOf(anomalies);
}

/** A client never reads something older in a document than what it has read there before. Source: as above. */
export function monotonicReads(calls: readonly RegisterCall[]): Verdict {
  const order = new WriteOrder(calls);
  const newest = new Map<string, RegisterCall>();
  const anomalies: Anomaly[] = [];
  for (const call of inOrder(calls)) {
    if (call.kind === 'write') continue;
    const id = clientAndKey(call);
    const before = newest.get(id);
    const begunBy = before ? order.begunBy(call.key, before.value) : Number.NEGATIVE_INFINITY;
    if (before && order.doneBy(call.key, call.value) < begunBy) {
      const detail =
        `${readText(call)}, and had read ${valueText(before.value)} there at ${instantText(before.calledMicros)}, ` +
        'which was written later';
      anomalies.push({ name: 'read went back', detail });
    }
    if (order.begunBy(call.key, call.value) >= begunBy) newest.set(id, call);
  }
  return verdictOf(anomalies);
}

/** What was answered, in the order in which each client was: it does one thing after the other. */
function inOrder(calls: readonly RegisterCall[]): RegisterCall[] {
  return calls.filter(({ outcome }) => outcome === 'ok').sort((a, b) => a.returnedMicros - b.returnedMicros);
}

function clientAndKey({ client, key }: RegisterCall): string {
  return JSON.stringify([client, key]);
}

function readText({ client, key, value, calledMicros }: RegisterCall): string {
  return `${client} read ${valueText(value)} in document ${key} at ${instantText(calledMicros)}`;
}

/** What is known of the order of writes from when they were called and when they returned, and from nothing else. */
class WriteOrder {
  readonly #begun = new Map<string, number>();
  readonly #done = new Map<string, number>();

  constructor(calls: readonly RegisterCall[]) {
    for (const { kind, outcome, key, value, calledMicros, returnedMicros } of calls) {
      if (kind !== 'write' || outcome === 'fail') continue;
      const id = JSON.stringify([key, value]);
      this.#begun.set(id, Math.min(calledMicros, this.#begun.get(id) ?? calledMicros));
      this.#done.set(id, Math.max(returnedMicros, this.#done.get(id) ?? returnedMicros));
    }
  }

  /** From when on a value can have been there. Nothing was there before anything was written. */
  begunBy(key: string, value: string | undefined): number {
    return this.#begun.get(JSON.stringify([key, value])) ?? Number.NEGATIVE_INFINITY;
  }

  /** When the write of a value had certainly happened; never, as far as is known, for a value that no call wrote. */
  doneBy(key: string, value: string | undefined): number {
    if (value === undefined) return Number.NEGATIVE_INFINITY;
    return this.#done.get(JSON.stringify([key, value])) ?? Number.POSITIVE_INFINITY;
  }
}
