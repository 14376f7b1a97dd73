import type { HeldByUser } from '@replsim/access';
import { type SessionId, userDigits } from '@replsim/pipeline';

/** What the cache asks of its member. */
export interface SessionCacheHost {
  /** The wall clock, ms since 1970. */
  wallMs(): number;
  /** The parameter `localLogicalSessionTimeoutMinutes`. */
  timeoutMinutes(): number;
  /** Whether an operation of the session is under way, besides the one that asks. */
  inUse(key: string): boolean;
  /** When some member last wrote down that the session is in use, as this one's data have it. Unit: ms since 1970. */
  recordedUseMs(lsid: SessionId): number | undefined;
  /** A session is over; what hangs on it goes. @param key the hex of its UUID */
  ended(key: string): void;
  /** How many each user has. */
  readonly held: HeldByUser;
}

/** A session that somebody has used here. */
export interface KnownSession {
  readonly lsid: SessionId;
  readonly lastUseMs: number;
}

/** How often those are looked for that have expired, where no job does it. Upstream: logicalSessionRefreshMillis. */
const SWEEP_EVERY_MS = 5 * 60 * 1000;

/**
 * The sessions that clients use on this member, which end when nobody has used them for `timeoutMinutes`, here or elsewhere.
 * What is to be written down of them for the other members waits here for the next refresh. Upstream: logical_session_cache_impl.cpp.
 */
export class SessionCache {
  readonly #host: SessionCacheHost;
  readonly #sessions = new Map<string, KnownSession>();
  /** Used since they were last written down. */
  readonly #unrecorded = new Set<string>();
  /** Ended by their clients since then. */
  readonly #ended = new Map<string, SessionId>();
  #sweptMs = 0;

  constructor(host: SessionCacheHost) {
    this.#host = host;
  }

  /** A command came in the session, or somebody asked to keep it. Throws what `held` throws for one more. Upstream: LogicalSessionCache::vivify. */
  used(lsid: SessionId): void {
    const nowMs = this.#host.wallMs();
    if (nowMs - this.#sweptMs >= SWEEP_EVERY_MS) this.#sweep(nowMs);
    else this.#endIfExpired(lsid.key, nowMs);
    if (!this.#sessions.has(lsid.key)) this.#host.held.take(userDigits(lsid.key));
    this.#sessions.set(lsid.key, { lsid, lastUseMs: nowMs });
    this.#unrecorded.add(lsid.key);
  }

  /** Those that have not expired, in the order in which they came. */
  list(): readonly KnownSession[] {
    this.#sweep(this.#host.wallMs());
    return [...this.#sessions.values()];
  }

  /** How many have been used since they were last written down. */
  get unrecordedCount(): number {
    return this.#unrecorded.size;
  }

  /** What the next refresh has to write down: who is in use, and who was ended. */
  unrecorded(): { readonly active: readonly KnownSession[]; readonly ended: readonly SessionId[] } {
    const isActive = ({ lsid: { key } }: KnownSession) => this.#unrecorded.has(key) || this.#host.inUse(key);
    const active = this.list().filter((known) => isActive(known) && !this.#ended.has(known.lsid.key));
    return { active, ended: [...this.#ended.values()] };
  }

  /** These are written down; what was used meanwhile waits for the next time. */
  recorded(active: readonly KnownSession[], ended: readonly SessionId[]): void {
    for (const { lsid, lastUseMs } of active) {
      if (this.#sessions.get(lsid.key)?.lastUseMs === lastUseMs) this.#unrecorded.delete(lsid.key);
    }
    for (const { key } of ended) this.#ended.delete(key);
  }

  /** A client has no more need of it; what hangs on it goes at once, where mongod waits for the next refresh. */
  end(lsid: SessionId): void {
    this.#ended.set(lsid.key, lsid);
    this.#forget(lsid.key);
  }

  /** Upstream: an arbiter's cache is emptied and written nowhere. */
  clear(): void {
    for (const key of this.#sessions.keys()) this.#host.held.release(userDigits(key));
    this.#sessions.clear();
    this.#unrecorded.clear();
    this.#ended.clear();
  }

  #forget(key: string): void {
    if (this.#sessions.delete(key)) this.#host.held.release(userDigits(key));
    this.#unrecorded.delete(key);
    this.#host.ended(key);
  }

  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const key of [...this.#sessions.keys()]) this.#endIfExpired(key, nowMs);
  }

  #endIfExpired(key: string, nowMs: number): void {
    const known = this.#sessions.get(key);
    const isOver = (lastUseMs: number) => nowMs - lastUseMs >= this.#host.timeoutMinutes() * 60_000;
    if (!known || !isOver(known.lastUseMs)) return;
    // Upstream: LogicalSessionCacheImpl::_refresh, which asks for getActiveOpSessions and for the sessions that are gone.
    const lastUseMs = this.#host.inUse(key) ? nowMs : this.#host.recordedUseMs(known.lsid);
    if (lastUseMs === undefined || isOver(lastUseMs)) this.#forget(key);
    else this.#sessions.set(key, { ...known, lastUseMs });
  }
}
