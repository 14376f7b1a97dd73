import { formatInstant } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import { nameOf } from './memberStory.ts';
import { Walls } from './walls.ts';

/** Heartbeats that nobody has answered since somebody last did. */
interface Unanswered {
  count: number;
  sinceMicros: number;
}

/** What took somebody away, and in which turn. */
interface Gone {
  readonly turn: number;
  readonly atMicros: number;
}

/** Who has not been heard of, and why: an election comes of what did *not* happen. */
export class Silences {
  #walls = new Walls([]);
  /** By sender and peer. */
  readonly #unanswered = new Map<string, Map<string, Unanswered>>();
  /** Who has led, and may be missed. */
  readonly #leaders = new Set<string>();
  readonly #gone = new Map<string, Gone>();
  /** In which turn walls went up, by the instant. */
  readonly #walledAt = new Map<number, number>();

  /** @param turn the turn or input that this event comes of */
  observe(event: TraceEvent, turn: number): void {
    this.#walls.observe(event);
    switch (event.type) {
      case 'runStarted':
        this.#walls = new Walls(event.members);
        return;
      case 'partitioned':
      case 'cut':
        this.#walledAt.set(event.atMicros, turn);
        return;
      case 'acceptsWrites':
        if (event.value) this.#leaders.add(event.member);
        return;
      case 'processStopped':
      case 'processPaused':
        this.#gone.set(event.member, { turn, atMicros: event.atMicros });
        return;
      case 'processStarted':
      case 'processResumed':
        this.#gone.delete(event.member);
        return;
      case 'sent':
        if (event.what === 'replSetHeartbeat') this.#asked(event.member, nameOf(event.peer), event.atMicros);
        return;
      case 'delivered':
        if (event.what === 'heartbeat reply') this.#unanswered.get(event.member)?.delete(nameOf(event.peer));
        return;
    }
  }

  /** Which leader a member misses, and from which turn that comes; undefined if it misses none. */
  around(member: string): { readonly text: string; readonly cause: number | undefined } | undefined {
    for (const [peer, { count, sinceMicros }] of this.#unanswered.get(member) ?? []) {
      if (!this.#leaders.has(peer) || count < 2) continue;
      const wall = this.#walls.apartSince(member, peer);
      const cause = this.#gone.get(peer)?.turn ?? (wall === undefined ? undefined : this.#walledAt.get(wall));
      return { text: `${count} heartbeats to ${peer} went unanswered since ${formatInstant(sinceMicros)}`, cause };
    }
    return undefined;
  }

  #asked(member: string, peer: string, atMicros: number): void {
    const byPeer = this.#unanswered.get(member) ?? new Map<string, Unanswered>();
    this.#unanswered.set(member, byPeer);
    const silence = byPeer.get(peer);
    if (silence) silence.count += 1;
    else byPeer.set(peer, { count: 1, sinceMicros: atMicros });
  }
}
