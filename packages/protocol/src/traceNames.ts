import { required } from './errors.ts';
import { otherSpellings, resolvable } from './machineNames.ts';
import type { TraceEvent, TraceEventType } from './trace.ts';

/** Where an event names another member by its host. */
const HOST_FIELDS = ['other', 'candidate', 'source', 'toldBy', 'from', 'to', 'peer'] as const;
type HostField = (typeof HOST_FIELDS)[number];
type OfHosts<E> = E extends { readonly type: TraceEventType } & { readonly [Field in HostField]?: unknown }
  ? Extract<keyof E, HostField> extends never
    ? never
    : E['type']
  : never;

/** The types with such fields, among them some whose `from` and `to` are no hosts: all others are as they are. */
const WITH_HOSTS: Readonly<Record<OfHosts<TraceEvent>, true>> = {
  cut: true,
  linkChanged: true,
  stateChanged: true,
  termChanged: true,
  memberSeen: true,
  voteAnswered: true,
  votePersisted: true,
  syncSourceChanged: true,
  fetchFailed: true,
  rollbackStarted: true,
  rolledBack: true,
  oplogWritten: true,
  commitPoint: true,
  positionsReceived: true,
  initialSync: true,
  turn: true,
  sent: true,
  delivered: true,
  lost: true,
};
const HOSTED: ReadonlySet<string> = new Set(Object.keys(WITH_HOSTS));

/** A run's members by their hosts, and what finds a host in a text. */
interface Hosts {
  readonly nameOf: ReadonlyMap<string, string>;
  readonly pattern: RegExp;
}

/**
 * Speaks of members by their names where a trace has hosts: `n1:27017`, whatever the host of n1. For judges and narrators,
 * which know members by name.
 */
export class TraceNames {
  #hosts: Hosts | undefined;

  /** The event, which is another one only if it names such hosts. */
  named(event: TraceEvent): TraceEvent {
    if (event.type === 'runStarted')
      this.#hosts = event.hosts && hostsOf(event.members, event.hosts, event.machineNames);
    if (this.#hosts === undefined) return event;
    const { nameOf } = this.#hosts;
    if (event.type === 'configInstalled') {
      const members = event.config.members.map((member) => ({ ...member, host: named(nameOf, member.host) }));
      return { ...event, config: { ...event.config, members } };
    }
    if (!HOSTED.has(event.type)) return event;
    const fields = event as unknown as Readonly<Record<string, unknown>>;
    let result: TraceEvent | undefined;
    for (const key of HOST_FIELDS) {
      const host = fields[key];
      if (typeof host === 'string' && nameOf.has(resolvable(host)))
        result = { ...(result ?? event), [key]: named(nameOf, host) } as TraceEvent;
    }
    return result ?? event;
  }

  /** A text, with names in the place of hosts. */
  text(text: string): string {
    if (this.#hosts === undefined) return text;
    const { nameOf, pattern } = this.#hosts;
    return text.replace(pattern, (host) => required(nameOf.get(resolvable(host)), 'member at a host that was found'));
  }
}

function hostsOf(members: readonly string[], hosts: readonly string[], machineNames?: readonly string[]): Hosts {
  const nameOf = new Map<string, string>();
  const others = otherSpellings(hosts, machineNames);
  for (const [index, host] of hosts.entries()) {
    const member = required(members[index], `member at ${host}`);
    for (const spelling of [host, ...required(others[index], 'spellings of a host')])
      nameOf.set(resolvable(spelling), member);
  }
  const spelled = [...nameOf.keys()].map(escaped).join('|');
  // Not within a longer one: 10.0.0.1:27017 lies in 110.0.0.1:270170.
  return { nameOf, pattern: new RegExp(`(?<![\\w.-])(?:${spelled})(?!\\d)`, 'gi') };
}

function named(nameOf: Hosts['nameOf'], host: string): string {
  const name = nameOf.get(resolvable(host));
  return name === undefined ? host : `${name}:27017`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
