import type { Term } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { ConfigAuthors } from './configAuthors.ts';
import { configInWords } from './installedConfigs.ts';

/**
 * A config is made, unless it is forced, by the member that won its term: a new version once it accepts writes, the same
 * version with a new term on the way there. Source: replication_coordinator_impl.cpp, doReplSetReconfig and
 * signalDrainComplete.
 *
 * Not "while it accepts writes": a primary deposed while the config went to its disk puts it in force all the same.
 */
export function reconfigOnlyOnPrimary(): Checker {
  const authors = new ConfigAuthors();
  const won = new Map<string, Term>();
  const accepted = new Map<string, Term>();

  return {
    name: 'reconfigOnlyOnPrimary',
    events: ['electionWon', 'acceptsWrites', ...ConfigAuthors.events],
    voidedBy: ['lyingDisk'],
    observe(event) {
      if (event.type === 'electionWon') won.set(event.member, event.term);
      if (event.type === 'acceptsWrites' && event.value) accepted.set(event.member, event.term);
      const made = authors.observe(event);
      if (made === undefined) return undefined;
      const { member, config, before } = made;
      const may = config.version === before.version ? won : accepted;
      if (may.get(member) === config.term) return undefined;
      const what =
        config.version === before.version ? 'it did not win that term' : 'it accepted no writes in that term';
      return `${member} made config ${configInWords(config)}, though ${what}`;
    },
  };
}
