import type { Reply } from '@replsim/pipeline';
import type { VersionTraits } from '@replsim/protocol';

/** How often clients tried, and how often they were let in. */
interface Attempts {
  received: number;
  successful: number;
}

interface MechanismCounts {
  readonly speculativeAuthenticate: Attempts;
  /** Members show nobody who they are here. */
  readonly clusterAuthenticate: Attempts;
  readonly authenticate: Attempts;
}

/** `security.authentication` of serverStatus. Upstream: counters.cpp, AuthCounter; authentication_stats of `security`. */
export class AuthenticationCounts {
  /** Handshakes that asked which mechanisms a user has. */
  mechanismsAsked = 0;
  /** Somebody has logged out: the first time a warning says that clients should not. */
  hasSeenLogout = false;
  /** What conversations took from their beginning to their end, good or bad, in sum. Unit: µs. */
  totalMicros = 0;
  readonly #mechanisms = new Map<string, MechanismCounts>();

  received(mechanism: string, speculative = false): void {
    this.#of(mechanism).authenticate.received += 1;
    if (speculative) this.#of(mechanism).speculativeAuthenticate.received += 1;
  }

  successful(mechanism: string, speculative = false): void {
    this.#of(mechanism).authenticate.successful += 1;
    if (speculative) this.#of(mechanism).speculativeAuthenticate.successful += 1;
  }

  /** @param enabled the mechanisms that the process was started with, each of which is shown */
  report(enabled: readonly string[], { maxWireVersion }: VersionTraits): Reply {
    const mechanisms = [...enabled].sort().map((name) => [name, shown(this.#of(name))]);
    return {
      authentication: {
        saslSupportedMechsReceived: BigInt(this.mechanismsAsked),
        mechanisms: Object.fromEntries(mechanisms),
        ...(maxWireVersion >= 21 && { totalAuthenticationTimeMicros: BigInt(Math.floor(this.totalMicros)) }),
      },
    };
  }

  #of(mechanism: string): MechanismCounts {
    let counts = this.#mechanisms.get(mechanism);
    if (!counts) {
      counts = { speculativeAuthenticate: none(), clusterAuthenticate: none(), authenticate: none() };
      this.#mechanisms.set(mechanism, counts);
    }
    return counts;
  }
}

function none(): Attempts {
  return { received: 0, successful: 0 };
}

function shown(counts: MechanismCounts): Reply {
  return Object.fromEntries(
    Object.entries(counts).map(([kind, { received, successful }]) => [
      kind,
      { received: BigInt(received), successful: BigInt(successful) },
    ]),
  );
}
