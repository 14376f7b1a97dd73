import type { ReplSetConfig } from '@replsim/protocol';
import type { Checker } from './checker.ts';
import { configInWords, InstalledConfigs } from './installedConfigs.ts';
import { voidedBy } from './voidedBy.ts';

/** A config so much older than the newest is on nobody's way back. */
const MAX_CONFIGS = 100;

/**
 * Among the configs that were ever active, a later term never has a lower version. Source: MongoReplReconfig.tla,
 * ConfigVersionIncreasesWithTerm.
 *
 * Ever active: the specification compares what any two members have. But a primary may install a config just before it is
 * cut off, and then a voter that never saw it wins the next term and raises only the term of the older version; that
 * is legal, for the newer version was never in force.
 */
export function activeConfigsInOrder(): Checker {
  const installed = new InstalledConfigs();
  const active: ReplSetConfig[] = [];

  return voidedBy(
    {
      name: 'activeConfigsInOrder',
      events: ['configInstalled', 'processStarted'],
      observe(event) {
        if (event.type === 'processStarted' && !event.hasReplSetConfig) installed.forget(event.member);
        if (event.type !== 'configInstalled') return undefined;
        const { config } = event;
        installed.install(event);
        if (active.includes(config) || !installed.isActive(config)) return undefined;
        const sameSet = active.filter(({ settings }) => settings.replicaSetId === config.settings.replicaSetId);
        active.push(config);
        if (active.length > MAX_CONFIGS) active.shift();
        for (const other of sameSet) {
          const [older, newer] = other.term < config.term ? [other, config] : [config, other];
          if (older.term < newer.term && older.version > newer.version)
            return `config ${configInWords(config)} is in force, though ${configInWords(other)} was`;
        }
        return undefined;
      },
    },
    'forcedReconfig',
  );
}
