import type { Checker } from '../checker.ts';

/** What one process has shown of its topologyVersion. */
interface Shown {
  counter: number;
  raisedMicros: number;
  accepts: boolean;
  /** A change that the counter does not account for yet. */
  owed: { readonly atMicros: number; readonly what: string } | undefined;
}

/**
 * Within one process the topologyVersion only rises, and it does whenever the member's state, or whether it accepts writes,
 * changes: clients that wait in a `hello` must hear of it. Both come in the same instant, either first; so a change is judged
 * once that member shows anything later. Source: replication_coordinator_impl.cpp, _fulfillTopologyChangePromise.
 */
export function topologyVersionRises(): Checker {
  const members = new Map<string, Shown>();

  function of(member: string): Shown {
    let shown = members.get(member);
    if (shown === undefined) {
      shown = { counter: -1, raisedMicros: -1, accepts: false, owed: undefined };
      members.set(member, shown);
    }
    return shown;
  }

  return {
    name: 'topologyVersionRises',
    // A commit point is as good as anything to show that time went on.
    events: ['topologyVersionRaised', 'stateChanged', 'acceptsWrites', 'processStarted', 'commitPoint'],
    observe(event) {
      switch (event.type) {
        case 'processStarted':
          members.delete(event.member);
          return undefined;
        case 'commitPoint': {
          const shown = members.get(event.member);
          return shown && overdue(event.member, shown, event.atMicros);
        }
        case 'topologyVersionRaised': {
          const { member, atMicros, counter } = event;
          const shown = of(member);
          const before = shown.counter;
          const broken = overdue(member, shown, atMicros);
          shown.counter = counter;
          shown.raisedMicros = atMicros;
          shown.owed = undefined;
          return (
            broken ?? (counter > before ? undefined : `${member}'s topologyVersion went from ${before} to ${counter}`)
          );
        }
        case 'stateChanged': {
          const { member, atMicros, from, to } = event;
          const broken = overdue(member, of(member), atMicros);
          changed(of(member), atMicros, `went from ${from} to ${to}`);
          return broken;
        }
        case 'acceptsWrites': {
          const { member, atMicros, value } = event;
          const shown = of(member);
          const broken = overdue(member, shown, atMicros);
          if (value !== shown.accepts)
            changed(shown, atMicros, value ? 'began to accept writes' : 'ceased to accept writes');
          shown.accepts = value;
          return broken;
        }
      }
      return undefined;
    },
  };
}

/** A change of an earlier instant that nothing accounted for. */
function overdue(member: string, shown: Shown, atMicros: number): string | undefined {
  const { owed, counter } = shown;
  if (owed === undefined || owed.atMicros === atMicros) return undefined;
  shown.owed = undefined;
  return `${member} ${owed.what}, and its topologyVersion stayed at ${counter}`;
}

function changed(shown: Shown, atMicros: number, what: string): void {
  if (shown.raisedMicros !== atMicros) shown.owed = { atMicros, what };
}
