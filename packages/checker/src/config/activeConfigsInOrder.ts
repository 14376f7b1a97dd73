import type { ReplSetConfig, Term } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';
import { configInWords, InstalledConfigs, sameConfig } from './installedConfigs.ts';

/** No member returns to a config that is this much older than the newest. */
const MAX_CONFIGS = 100;

/**
 * Among the configs that were ever active, a later term never has a lower version. Source: MongoReplReconfig.tla,
 * ConfigVersionIncreasesWithTerm.
 *
 * Ever active: the specification compares what any two members have. But a primary may install a config just before it is
 * cut off, and then a voter that never saw it wins the next term and raises only the term of the older version; that
 * is legal, for the newer version was never in force.
 *
 * Nor is it in force through those that took it when they were in a later term: they may have voted in that term for one
 * who does not know it. Only who takes a config in its own term will see to it that later terms build on it.
 */
export function activeConfigsInOrder(): Checker {
  const terms = new Map<string, Term>();
  /** What members took before they were in a later term. */
  const installed = new InstalledConfigs();
  const active: ReplSetConfig[] = [];

  /** After a restart a member has what it had, though it may have come into a later term since it took it. */
  function install(event: EventOf<'configInstalled'>): void {
    const { member, config } = event;
    const before = installed.of(member);
    const isInTime = (terms.get(member) ?? config.term) <= config.term;
    if (isInTime || (before && sameConfig(before, config))) installed.install(event);
    else installed.forget(member);
  }

  return {
    name: 'activeConfigsInOrder',
    events: ['configInstalled', 'processStarted', 'termChanged'],
    voidedBy: ['forcedReconfig', 'lyingDisk'],
    observe(event) {
      if (event.type === 'termChanged') terms.set(event.member, event.to);
      if (event.type === 'processStarted') {
        terms.set(event.member, event.term);
        if (!event.hasReplSetConfig) installed.forget(event.member);
      }
      if (event.type !== 'configInstalled') return undefined;
      const { config } = event;
      install(event);
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
  };
}
