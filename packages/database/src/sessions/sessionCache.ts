import type { SessionId } from '../fields/sessionId.ts';

/** What the cache asks of its member. */
export interface SessionCacheHost {
  /** The wall clock, ms since 1970. */
  wallMs(): number;
  /** The parameter `localLogicalSessionTimeoutMinutes`. */
  timeoutMinutes(): number;
  /** Whether an operation of the session is under way, besides the one that asks. */
  inUse(key: string): boolean;
  /** A session is over; what hangs on it goes. @param key the hex of its UUID */
  ended(key: string): void;
}

/** A session that somebody has used here. */
export interface KnownSession {
  readonly lsid: SessionId;
  readonly lastUseMs: number;
}

/** How often those are looked for that have expired. Upstream: logicalSessionRefreshMillis. */
const SWEEP_EVERY_MS = 5 * 60 * 1000;

/**
 * The sessions that clients use on this member, which end when they have not been used for `timeoutMinutes`. That is looked at
 * when some session is used: no timer runs for it. Simplification: other members do not hear of a session's use, as they would by
 * `config.system.sessions`, and what it wrote stays in `config.transactions`. Upstream: logical_session_cache_impl.cpp.
 */
export class SessionCache {
  readonly #host: SessionCacheHost;
  readonly #sessions = new Map<string, KnownSession>();
  #sweptMs = 0;

  constructor(host: SessionCacheHost) {
    this.#host = host;
  }

  /** A command came in the session, or somebody asked to keep it. Upstream: LogicalSessionCache::vivify. */
  used(lsid: SessionId): void {
    const nowMs = this.#host.wallMs();
    if (nowMs - this.#sweptMs >= SWEEP_EVERY_MS) this.#sweep(nowMs);
    else this.#endIfExpired(lsid.key, nowMs);
    this.#sessions.set(lsid.key, { lsid, lastUseMs: nowMs });
  }

  /** Those that have not expired, in the order in which they came. */
  list(): readonly KnownSession[] {
    this.#sweep(this.#host.wallMs());
    return [...this.#sessions.values()];
  }

  /** Upstream: LogicalSessionCache::endSessions; what hangs on the session goes at once, not minutes later. */
  end(key: string): void {
    this.#sessions.delete(key);
    this.#host.ended(key);
  }

  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const key of [...this.#sessions.keys()]) this.#endIfExpired(key, nowMs);
  }

  #endIfExpired(key: string, nowMs: number): void {
    const known = this.#sessions.get(key);
    if (!known || nowMs - known.lastUseMs < this.#host.timeoutMinutes() * 60_000) return;
    // Upstream: LogicalSessionCacheImpl::_refresh, which asks for getActiveOpSessions.
    if (this.#host.inUse(key)) this.#sessions.set(key, { ...known, lastUseMs: nowMs });
    else this.end(key);
  }
}
