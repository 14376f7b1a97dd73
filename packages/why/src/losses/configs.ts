import type { ForcedConfigTrace, ReplSetConfig, TraceEvent } from '@replsim/protocol';
import { nameOf } from '../memberStory.ts';

/** A config that a member has installed. */
interface Installed {
  readonly atMicros: number;
  readonly config: ReplSetConfig;
}

/** Which config each member went by, and when. */
export class Configs {
  readonly #installed = new Map<string, Installed[]>();
  /** By version: where each forced one was installed first. */
  readonly #forced = new Map<number, Installed & { readonly member: string }>();

  observe(event: TraceEvent): void {
    if (event.type !== 'configInstalled') return;
    const { member, atMicros, config, forced } = event;
    const known = this.#installed.get(member);
    if (known) known.push({ atMicros, config });
    else this.#installed.set(member, [{ atMicros, config }]);
    if (forced && !this.#forced.has(config.version)) this.#forced.set(config.version, { atMicros, config, member });
  }

  /** What a member went by at an instant; the first that it ever had, if it had none yet. */
  of(member: string, atMicros: number): ReplSetConfig | undefined {
    const known = this.#installed.get(member);
    return (known?.findLast((each) => each.atMicros <= atMicros) ?? known?.[0])?.config;
  }

  /** The newest forced config that lies between one config and a later one. */
  forcedBetween(before: ReplSetConfig, after: ReplSetConfig): ForcedConfigTrace | undefined {
    const between = [...this.#forced.values()].filter(
      ({ config: { version } }) => version > before.version && version <= after.version,
    );
    const last = between.at(-1);
    if (!last) return undefined;
    const { member, atMicros, config } = last;
    const there = new Set(dataBearing(config));
    const without = dataBearing(before).filter((name) => !there.has(name));
    return { version: config.version, member, atMicros, without };
  }
}

/** The members of a config that hold data. */
export function dataBearing({ members }: ReplSetConfig): string[] {
  return members.filter(({ arbiterOnly }) => !arbiterOnly).map(({ host }) => nameOf(host));
}
