import type { ReplSetConfig, TraceEvent } from '@replsim/protocol';
import { sameConfig } from './installedConfigs.ts';

/** Members that hear of a config later than this many newer ones install one of those instead. */
const MAX_CONFIGS = 100;

/** A config that a member made: by `replSetReconfig`, by removing `newlyAdded`, or by raising the term at step-up. */
export interface NewConfig {
  readonly member: string;
  readonly config: ReplSetConfig;
  /** The one that was in force on that member. */
  readonly before: ReplSetConfig;
  /** Who ever had `before`. */
  readonly hadBefore: ReadonlySet<string>;
}

interface Known {
  readonly config: ReplSetConfig;
  readonly members: Set<string>;
}

/**
 * The author of a config is the member that has it first. Not checked for the first config of a set, of a forced one, and of what a process
 * finds on its disk, which its predecessor may have stored without living to use it.
 */
export class ConfigAuthors {
  /** The events it must be shown. */
  static readonly events = ['configInstalled', 'processStarted'] as const;
  readonly #known: Known[] = [];
  readonly #installed = new Map<string, ReplSetConfig>();

  /** @returns the config that this event shows to be new and of that member's making */
  observe(event: TraceEvent): NewConfig | undefined {
    if (event.type === 'processStarted') this.#installed.delete(event.member);
    if (event.type !== 'configInstalled') return undefined;
    const { member, config, forced } = event;
    const before = this.#installed.get(member);
    this.#installed.set(member, config);
    const known = this.#find(config);
    if (known !== undefined) {
      known.members.add(member);
      return undefined;
    }
    const previous = before && this.#find(before);
    this.#known.push({ config, members: new Set([member]) });
    if (this.#known.length > MAX_CONFIGS) this.#known.shift();
    return previous === undefined || forced
      ? undefined
      : { member, config, before: previous.config, hadBefore: previous.members };
  }

  #find(config: ReplSetConfig): Known | undefined {
    return this.#known.findLast((known) => sameConfig(known.config, config));
  }
}
