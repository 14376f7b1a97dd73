import { showEntry } from './entries.ts';
import { isMajority, type Member, nameOf, notBehind, raiseTerm } from './members.ts';
import { configOf, must, type Of, type Run, type Vote } from './run.ts';

// UpdateTermThroughHeartbeat, BecomePrimaryByMagic, Stepdown.

export function termChanged(run: Run, { member, to }: Of<'termChanged'>): void {
  const me = run.member(member);
  must(
    me.state === 'Follower',
    `UpdateTermThroughHeartbeat: it leads t${me.currentTerm} and hears of t${to} without a step-down`,
  );
  must(to > me.currentTerm, `UpdateTermThroughHeartbeat: t${to} is no later than its t${me.currentTerm}`);
  const tellers = run.tellers(me);
  if (tellers.some(({ currentTerm }) => currentTerm === to)) run.count('UpdateTermThroughHeartbeat');
  else if (tellers.some(({ highestTerm }) => highestTerm >= to)) run.count('UpdateTermThroughHeartbeat, delayed');
  else {
    must(me.stands && to === me.currentTerm + 1, `UpdateTermThroughHeartbeat: nobody has been in t${to}`);
    // The first part of an election: counted when it is won, or when it never was.
    run.raised.add(to);
  }
  raiseTerm(me, to);
}

export function voted(run: Run, { member, term, candidate }: Of<'votePersisted'>): void {
  const me = run.member(member);
  const votes = run.votes.get(term) ?? new Map<string, Vote>();
  run.votes.set(term, votes);
  const name = nameOf(candidate);
  const before = votes.get(member)?.candidate;
  must(
    before === undefined || before === name,
    `BecomePrimaryByMagic: it votes for ${name} in t${term}, and has voted for ${before}`,
  );
  must(me.state === 'Follower', `BecomePrimaryByMagic: it votes in t${term} while it leads t${me.currentTerm}`);
  votes.set(member, { candidate: name, log: me.log });
}

export function elected(run: Run, { member, term }: Of<'electionWon'>): void {
  const me = run.member(member);
  must(me.currentTerm === term, `BecomePrimaryByMagic: it is elected in t${term} and its term is t${me.currentTerm}`);
  const rival = run.others(me).find(({ state, currentTerm }) => state === 'Leader' && currentTerm === term);
  must(rival === undefined, `NoTwoPrimariesInSameTerm: ${rival?.name} leads t${term} too`);
  const votes = [...(run.votes.get(term) ?? [])].filter(([, { candidate }]) => candidate === member);
  const ayeVoters = votes.map(([name]) => name);
  must(
    isMajority(ayeVoters, configOf(me)),
    `BecomePrimaryByMagic: ${ayeVoters.join(', ') || 'nobody'} voted for it, which is no majority`,
  );
  // The trace does not tell what the candidate claimed. A candidate's log only grows, so what it has now is the most.
  for (const [name, { log }] of votes)
    must(
      notBehind(me.log, log),
      `BecomePrimaryByMagic: ${name} voted for it with ${showEntry(log)}, and it has ${showEntry(me.log)}`,
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
