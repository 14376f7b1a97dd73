import { configCommitmentCount, sameConfigVersion, votingMembers } from '@replsim/protocol';
import { type MemberStory, nameOf } from './memberStory.ts';
import { at, grouped, type Situation, whyNotRunning, whySilent } from './situation.ts';

/**
 * That too few voters have a primary's config: `replSetReconfig` waits for them, and so does the next one. Empty where enough have it.
 * Upstream: TopologyCoordinator::makeConfigPredicate.
 */
export function whoLacksConfig({ name, config }: MemberStory, situation: Situation): string[] {
  if (!config) return [];
  const voters = votingMembers(config).map(({ host }) => nameOf(host));
  const having = voters.filter((voter) => {
    const its = situation.members.get(voter)?.config;
    return voter === name || (its !== undefined && sameConfigVersion(its, config));
  });
  const needed = configCommitmentCount(config);
  if (having.length >= needed) return [];
  const term = config.term < 0 ? '' : ` of term ${config.term}`;
  const held = `config version ${config.version}${term} is on ${having.join(', ')}; its reconfig and the next one wait until ${needed} of ${voters.length} voters have it`;
  const lacking = voters.filter((voter) => !having.includes(voter));
  const reasons = grouped(lacking.map((voter) => [voter, whyWithout(name, voter, situation)]));
  return [[held, ...reasons].join('; ')];
}

function whyWithout(primary: string, voter: string, situation: Situation): string {
  const silent = whySilent(primary, voter, situation);
  if (silent !== undefined) return silent;
  const story = situation.members.get(voter);
  const down = story && whyNotRunning(story);
  if (!story || down !== undefined) return down ?? 'it is not a member in this run';
  const held = story.heldSince.get('heartbeats');
  if (held !== undefined) return `its part heartbeats has been held since ${at(held)}`;
  return story.config ? `it has version ${story.config.version}` : 'it has no config yet';
}
