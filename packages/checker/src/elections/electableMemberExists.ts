import type { Checker } from '../checker.ts';
import { configInWords, InstalledConfigs } from '../config/installedConfigs.ts';
import { votersOf } from '../voters.ts';

/**
 * A config in force has a voter that may become primary. Source: MongoReplReconfig.tla, ElectableNodeExists;
 * repl_set_config.cpp, validate.
 */
export function electableMemberExists(): Checker {
  const installed = new InstalledConfigs();

  return {
    name: 'electableMemberExists',
    events: ['configInstalled'],
    observe(event) {
      if (event.type !== 'configInstalled') return undefined;
      const { config } = event;
      installed.install(event);
      const electable = votersOf(config).some(({ priority, arbiterOnly }) => priority > 0 && !arbiterOnly);
      return electable || !installed.isActive(config)
        ? undefined
        : `config ${configInWords(config)} is in force, and none of its voters may become primary`;
    },
  };
}
