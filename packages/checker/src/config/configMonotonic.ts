import { isNewerConfig, type ReplSetConfig } from '@replsim/protocol';
import type { Checker } from '../checker.ts';

/**
 * A member's config never goes back: by term and version, by version alone where one was forced. Over restarts too,
 * since it is on disk before it is installed. Source: MongoReplReconfig.tla; repl_set_config.h, ConfigVersionAndTerm.
 */
export function configMonotonic(): Checker {
  const configs = new Map<string, ReplSetConfig>();

  return {
    name: 'configMonotonic',
    events: ['configInstalled', 'processStarted'],
    voidedBy: ['lyingDisk'],
    observe(event) {
      if (event.type === 'processStarted') {
        // A disk without a config was emptied.
        if (!event.hasReplSetConfig) configs.delete(event.member);
        return undefined;
      }
      if (event.type !== 'configInstalled') return undefined;
      const { member, config } = event;
      const before = configs.get(member);
      configs.set(member, config);
      return before !== undefined && isNewerConfig(before, config)
        ? `${member} went back from config ${inWords(before)} to ${inWords(config)}`
        : undefined;
    },
  };
}

function inWords({ version, term }: ReplSetConfig): string {
  return term === -1 ? `version ${version} (forced)` : `version ${version} of term ${term}`;
}
