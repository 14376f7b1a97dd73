import { type Entry, showEntry } from './entries.ts';
import { hasHeld, isArbiter, isMajority, type Member, nameOf, notBehind, raiseTerm } from './members.ts';
import { configOf, must, type Of, type Run } from './run.ts';

// UpdateTermThroughHeartbeat, BecomePrimaryByMagic, Stepdown.

export function termChanged(run: Run, { member, to, toldBy }: Of<'termChanged'>): void {
  const me = run.member(member);
  must(
    me.state === 'Follower',
    `UpdateTermThroughHeartbeat: it leads t${me.currentTerm} and hears of t${to} without a step-down`,
  );
  must(to > me.currentTerm, `UpdateTermThroughHeartbeat: t${to} is no later than its t${me.currentTerm}`);
  if (toldBy === undefined) {
    must(me.stands && to === me.currentTerm + 1, `BecomePrimaryByMagic: it raises its t${me.currentTerm} to t${to}`);
    // The first part of an election: counted when it is won, or when it never was.
    run.raised.add(to);
  } else {
    const { currentTerm, highestTerm, name } = run.teller(me, toldBy);
    must(highestTerm >= to, `UpdateTermThroughHeartbeat: ${name} has not been in t${to}`);
    run.count(currentTerm === to ? 'UpdateTermThroughHeartbeat' : 'UpdateTermThroughHeartbeat, delayed');
  }
  raiseTerm(me, to);
}

export function voted(run: Run, { member, term, candidate }: Of<'votePersisted'>): void {
  const me = run.member(member);
  const votes = run.votes.get(term) ?? new Map<string, string>();
  run.votes.set(term, votes);
  const name = nameOf(candidate);
  const before = votes.get(member);
  must(
    before === undefined || before === name,
    `BecomePrimaryByMagic: it votes for ${name} in t${term}, and has voted for ${before}`,
  );
  must(me.state === 'Follower', `BecomePrimaryByMagic: it votes in t${term} while it leads t${me.currentTerm}`);
  votes.set(member, name);
}

/** What was claimed and what it was held against are what the candidate and the voter had when the one asked and the other decided. */
export function answered(run: Run, { member, candidate, granted, claim, own }: Of<'voteAnswered'>): void {
  const me = run.member(member);
  const name = nameOf(candidate);
  const [claimed, held] = [claim, own].map(({ lastWritten }) => run.known(lastWritten, 'BecomePrimaryByMagic')) as [
    Entry,
    Entry,
  ];
  must(
    hasHeld(run.member(name), claimed),
    `BecomePrimaryByMagic: ${name} claims ${showEntry(claimed)}, which it never had`,
  );
  const has = isArbiter(me) ? me.formerCommitPoints.has(held) : hasHeld(me, held);
  must(has, `BecomePrimaryByMagic: it judges by ${showEntry(held)}, which it never had`);
  must(
    !granted || notBehind(claimed, held),
    `BecomePrimaryByMagic: it votes for ${name} with ${showEntry(held)}, and ${name} claims ${showEntry(claimed)}`,
  );
}

export function elected(run: Run, { member, term }: Of<'electionWon'>): void {
  const me = run.member(member);
  must(me.currentTerm === term, `BecomePrimaryByMagic: it is elected in t${term} and its term is t${me.currentTerm}`);
  const rival = run.others(me).find(({ state, currentTerm }) => state === 'Leader' && currentTerm === term);
  must(rival === undefined, `NoTwoPrimariesInSameTerm: ${rival?.name} leads t${term} too`);
  const votes = [...(run.votes.get(term) ?? [])].filter(([, candidate]) => candidate === member);
  const ayeVoters = votes.map(([name]) => name);
  must(
    isMajority(ayeVoters, configOf(me)),
    `BecomePrimaryByMagic: ${ayeVoters.join(', ') || 'nobody'} voted for it, which is no majority`,
  );
  const now = ayeVoters.every((name) => {
    const voter = run.member(name);
    return voter.currentTerm <= term && notBehind(me.log, voter.log);
  });
  run.count(now ? 'BecomePrimaryByMagic' : 'BecomePrimaryByMagic, delayed');
  run.raised.delete(term);
  me.state = 'Leader';
}

export function steppedDown(run: Run, me: Member): void {
  must(me.state === 'Leader', 'Stepdown: it does not lead');
  run.count('Stepdown');
  me.state = 'Follower';
}
