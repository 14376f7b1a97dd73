import {
  compareOpTimes,
  formatOpTime,
  NULL_OP_TIME,
  type OpTime,
  type ReplSetConfig,
  type TraceEvent,
} from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { Branches } from '../log/branches.ts';
import { Holdings } from '../log/holdings.ts';
import { memberOf, voteMajorityOf, votersOf } from '../voters.ts';
import { ConfigAuthors, type NewConfig } from './configAuthors.ts';
import { configInWords } from './installedConfigs.ts';

/** What must be committed under a config before the next may come. */
interface Inheritance {
  readonly config: ReplSetConfig;
  readonly commitPoint: OpTime | undefined;
}

/**
 * A reconfig, unless it is forced, changes one voter at most, and only once the config before it is committed: (a) a
 * majority of its voters have it, (b) what was committed under its own predecessor, and the first entry of the
 * primary's term, is committed under it. Source: MongoReplReconfig.tla, ConfigIsSafe; repl_set_config_checks.cpp.
 *
 * Of a set's first config and of a forced one (b) is not asked, as in mongod.
 */
export function oneVotingChange(holdings = new Holdings(new Branches())): Checker {
  const authors = new ConfigAuthors();
  const commitPoints = new Map<string, OpTime>();
  const inherited = new Map<string, Inheritance>();
  const firstOfTerm = new Map<string, OpTime>();

  function judge(made: NewConfig, epochSecs: number): string | undefined {
    const { member, config, before } = made;
    // At step-up the term is raised, and nothing else.
    if (config.version === before.version) return undefined;
    const reconfig = `${member} went from config ${configInWords(before)} to ${configInWords(config)}`;
    const wrong = wrongWithVoters(made);
    if (wrong) return `${reconfig}, ${wrong}`;
    if (before.term === -1 || before.version === 1) return undefined;
    const needed = mustBeCommitted(member, before);
    return holdings.majorityHeld(before, needed)
      ? undefined
      : `${reconfig}, though ${formatOpTime(needed, epochSecs)} was not committed under the former`;
  }

  function mustBeCommitted(member: string, before: ReplSetConfig): OpTime {
    const known = inherited.get(member);
    const commitPoint = (known?.config === before ? known.commitPoint : undefined) ?? NULL_OP_TIME;
    const first = firstOfTerm.get(member) ?? NULL_OP_TIME;
    return compareOpTimes(commitPoint, first) > 0 ? commitPoint : first;
  }

  function note(event: TraceEvent): void {
    switch (event.type) {
      case 'commitPoint':
        commitPoints.set(event.member, event.opTime);
        return;
      case 'configInstalled':
        inherited.set(event.member, { config: event.config, commitPoint: commitPoints.get(event.member) });
        return;
      case 'processStarted':
        commitPoints.delete(event.member);
        return;
      case 'oplogWritten': {
        const first = event.origin === 'self' ? event.entries[0]?.opTime : undefined;
        if (first !== undefined && firstOfTerm.get(event.member)?.t !== first.t) firstOfTerm.set(event.member, first);
        return;
      }
    }
  }

  return {
    name: 'oneVotingChange',
    events: ['commitPoint', 'oplogWritten', ...ConfigAuthors.events],
    records: [holdings.branches, holdings],
    voidedBy: ['lyingDisk'],
    observe(event, epochSecs) {
      const made = authors.observe(event);
      const broken = made && judge(made, epochSecs);
      note(event);
      return broken;
    },
  };
}

function wrongWithVoters({ config, before, hadBefore }: NewConfig): string | undefined {
  const changed = changedVoters(before, config);
  if (changed > 1) return `which changes ${changed} voters at once`;
  const having = votersOf(before).filter(({ host }) => hadBefore.has(memberOf(host))).length;
  if (having >= voteMajorityOf(before)) return undefined;
  return `though only ${having} of the former's ${votersOf(before).length} voters ever had it`;
}

function changedVoters(before: ReplSetConfig, after: ReplSetConfig): number {
  const [old, now] = [before, after].map((config) => new Set(votersOf(config).map(({ _id }) => _id))) as [
    Set<number>,
    Set<number>,
  ];
  const gone = [...old].filter((id) => !now.has(id)).length;
  const come = [...now].filter((id) => !old.has(id)).length;
  return gone + come;
}
