import type { Checker } from '../checker.ts';
import { configInWords, InstalledConfigs } from './installedConfigs.ts';

/**
 * At most one config is active, that is, had now by a majority of its own voters. Were there two, the majorities that have
 * them would share no voter, since a voter has one config at a time; and each could elect and commit on its own. So this is
 * both properties of the specification. Source: MongoReplReconfig.tla, ActiveConfigsOverlap and AtMostOneActiveConfig.
 */
export function activeConfigsOverlap(): Checker {
  const installed = new InstalledConfigs();

  return {
    name: 'activeConfigsOverlap',
    events: ['configInstalled', 'processStarted'],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event) {
      if (event.type === 'processStarted' && !event.hasReplSetConfig) installed.forget(event.member);
      if (event.type !== 'configInstalled') return undefined;
      installed.install(event);
      const [one, other] = installed.active();
      return one === undefined || other === undefined
        ? undefined
        : `configs ${configInWords(one)} and ${configInWords(other)} are both in force, by majorities that share no voter`;
    },
  };
}
