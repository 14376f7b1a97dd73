import type { ReplSetConfig } from '@replsim/protocol';
import type { EventOf } from '../checker.ts';
import { memberOf, voteMajorityOf, votersOf } from '../voters.ts';

/** The config that each member has now, and whether a config is *active*: a majority of its own voters have it. */
export class InstalledConfigs {
  readonly #configs = new Map<string, ReplSetConfig>();

  of(member: string): ReplSetConfig | undefined {
    return this.#configs.get(member);
  }

  install({ member, config }: EventOf<'configInstalled'>): void {
    this.#configs.set(member, config);
  }

  /** A member whose disk was emptied has none. */
  forget(member: string): void {
    this.#configs.delete(member);
  }

  isActive(config: ReplSetConfig): boolean {
    let having = 0;
    for (const { host } of votersOf(config)) {
      const installed = this.#configs.get(memberOf(host));
      if (installed !== undefined && sameConfig(installed, config)) having++;
    }
    return having >= voteMajorityOf(config);
  }

  /** The active ones among those that members have, each once. */
  active(): ReplSetConfig[] {
    const distinct: ReplSetConfig[] = [];
    for (const config of this.#configs.values())
      if (!distinct.some((known) => sameConfig(known, config))) distinct.push(config);
    return distinct.length === 1 ? distinct : distinct.filter((config) => this.isActive(config));
  }
}

/** By set, version and term; that the contents are then equal is for `sameConfigSameContent` to say. */
export function sameConfig(a: ReplSetConfig, b: ReplSetConfig): boolean {
  return (
    a === b || (a.version === b.version && a.term === b.term && a.settings.replicaSetId === b.settings.replicaSetId)
  );
}

/** As messages write a config. */
export function configInWords({ version, term }: ReplSetConfig): string {
  return term === -1 ? `version ${version} (forced)` : `version ${version} of term ${term}`;
}
