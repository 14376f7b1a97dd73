import type { TraceEvent } from './trace.ts';

/** Where an event names another member by its host. */
const HOST_FIELDS = ['other', 'candidate', 'source', 'from', 'to'] as const;

/**
 * Speaks of members by their names where a trace has hosts: `n1:27017`, whatever the host of n1. For judges and narrators,
 * which know members by name.
 */
export class TraceNames {
  #nameByHost: ReadonlyMap<string, string> | undefined;
  #hosts: RegExp | undefined;

  /** The event, which is another one only if it names such hosts. */
  named(event: TraceEvent): TraceEvent {
    if (event.type === 'runStarted') this.#begin(event.members, event.hosts);
    if (this.#nameByHost === undefined) return event;
    if (event.type === 'configInstalled') {
      const members = event.config.members.map((member) => ({ ...member, host: this.#named(member.host) }));
      return { ...event, config: { ...event.config, members } };
    }
    const fields = event as unknown as Readonly<Record<string, unknown>>;
    const named = HOST_FIELDS.filter((key) => this.#nameByHost!.has(fields[key] as string));
    if (named.length === 0) return event;
    return { ...event, ...Object.fromEntries(named.map((key) => [key, this.#named(fields[key] as string)])) };
  }

  /** A text, with names in the place of hosts. */
  text(text: string): string {
    return this.#hosts === undefined ? text : text.replace(this.#hosts, (host) => this.#nameByHost!.get(host)!);
  }

  #begin(members: readonly string[], hosts: readonly string[] | undefined): void {
    this.#nameByHost = hosts && new Map(hosts.map((host, index) => [host, members[index]!]));
    // Not within a longer one: 10.0.0.1:27017 lies in 110.0.0.1:270170.
    this.#hosts = hosts && new RegExp(`(?<![\\w.-])(?:${hosts.map(escaped).join('|')})(?!\\d)`, 'g');
  }

  #named(host: string): string {
    const name = this.#nameByHost!.get(host);
    return name === undefined ? host : `${name}:27017`;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
