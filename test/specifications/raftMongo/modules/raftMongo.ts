import { required } from '@replsim/protocol';
import { firstOf, lastTermOf, lengthOf, NO_TERMS, sameTerms, type Terms, termAt } from './terms.ts';

/** RaftMongo's variables of one server. */
export interface Server {
  readonly currentTerm: number;
  readonly state: 'Follower' | 'Leader';
  readonly commitPoint: CommitPoint;
  readonly log: Terms;
}

export interface CommitPoint {
  readonly term: number;
  readonly index: number;
}

/** All servers, by name, always in the same order. */
export type State = ReadonlyMap<string, Server>;

export type Action =
  | 'AppendOplog'
  | 'RollbackOplog'
  | 'BecomePrimaryByMagic'
  | 'Stepdown'
  | 'ClientWrite'
  | 'UpdateTermThroughHeartbeat'
  | 'AdvanceCommitPoint'
  | 'LearnCommitPoint';

/** One server's step: what its variables are afterwards; an election takes those who vote along into its term. */
export interface Step {
  readonly atMicros: number;
  readonly action: Action;
  readonly server: string;
  readonly change: Partial<Server>;
  readonly voters?: readonly string[];
}

export function initialState(servers: readonly string[]): State {
  const first: Server = { currentTerm: 0, state: 'Follower', commitPoint: { term: 0, index: 0 }, log: NO_TERMS };
  return new Map(servers.map((name) => [name, first]));
}

/** A server of the behaviour; all are there from the beginning. */
export function serverOf(state: State, name: string): Server {
  return required(state.get(name), 'server of that name');
}

/** What a step makes of a variable; which ones it changes follows from its action. */
function changed<Name extends keyof Server>({ change }: Step, name: Name): Server[Name] {
  return required<Server[Name]>(change[name], 'such change in the step');
}

export function apply(state: State, step: Step): State {
  const next = new Map(state);
  for (const name of step.voters ?? [])
    next.set(name, { ...serverOf(state, name), currentTerm: changed(step, 'currentTerm'), state: 'Follower' });
  return next.set(step.server, { ...serverOf(next, step.server), ...step.change });
}

/** Whether RaftMongo lets this happen in this state. Upstream: src/mongo/tla_plus/Replication/RaftMongo, the actions of Next. */
export function allows(state: State, step: Step): boolean {
  const me = serverOf(state, step.server);
  const { change } = step;
  const others = [...state.values()].filter((server) => server !== me);
  switch (step.action) {
    case 'AppendOplog': {
      const longer = changed(step, 'log');
      const takes = (source: Server): boolean =>
        canSyncFrom(me, source) && sameTerms(firstOf(source.log, lengthOf(longer)), longer);
      return me.state === 'Follower' && others.some(takes);
    }
    case 'RollbackOplog':
      return others.some((source) => canRollBackTo(me, source));
    case 'BecomePrimaryByMagic': {
      const voters = required(step.voters, 'voter in an election').map((name) => serverOf(state, name));
      const asks = (voter: Server): boolean => notBehind(me, voter) && voter.currentTerm <= me.currentTerm;
      return change.currentTerm === me.currentTerm + 1 && isMajority(voters.length, state) && voters.every(asks);
    }
    case 'Stepdown':
      return me.state === 'Leader';
    case 'ClientWrite':
      return me.state === 'Leader' && lastTermOf(changed(step, 'log')) === me.currentTerm;
    case 'UpdateTermThroughHeartbeat':
      return (
        changed(step, 'currentTerm') > me.currentTerm &&
        others.some((other) => other.currentTerm === change.currentTerm)
      );
    case 'AdvanceCommitPoint': {
      const { term, index } = changed(step, 'commitPoint');
      const acknowledges = (server: Server): boolean =>
        termAt(server.log, index) === term && server.currentTerm <= me.currentTerm;
      const acknowledgers = [...state.values()].filter(acknowledges);
      const isOwn = term === me.currentTerm && termAt(me.log, index) === term && index > me.commitPoint.index;
      return me.state === 'Leader' && isOwn && isMajority(acknowledgers.length, state);
    }
    case 'LearnCommitPoint':
      return others.some(
        (other) => isLess(me.commitPoint, other.commitPoint) && tells(other, me, changed(step, 'commitPoint')),
      );
  }
}

/** By a heartbeat, if it is of the last entry's term; by a sync source, but never beyond the own log. */
function tells(other: Server, me: Server, commitPoint: CommitPoint): boolean {
  const told = other.commitPoint;
  const lastTerm = lastTermOf(me.log);
  if (lastTerm === told.term && same(told, commitPoint)) return true;
  if (!canSyncFrom(me, other) && !sameTerms(me.log, other.log)) return false;
  return same(told.term <= lastTerm ? told : { term: lastTerm, index: lengthOf(me.log) }, commitPoint);
}

function canSyncFrom(me: Server, source: Server): boolean {
  const length = lengthOf(me.log);
  return length < lengthOf(source.log) && lastTermOf(me.log) === termAt(source.log, length);
}

function canRollBackTo(me: Server, source: Server): boolean {
  const length = lengthOf(me.log);
  const isLater = lastTermOf(me.log) < lastTermOf(source.log);
  return length > 0 && isLater && termAt(source.log, length) !== lastTermOf(me.log);
}

function notBehind(me: Server, other: Server): boolean {
  const [mine, theirs] = [lastTermOf(me.log), lastTermOf(other.log)];
  return mine > theirs || (mine === theirs && lengthOf(me.log) >= lengthOf(other.log));
}

function isMajority(count: number, state: State): boolean {
  return count * 2 > state.size;
}

export function isLess(a: CommitPoint, b: CommitPoint): boolean {
  return a.term < b.term || (a.term === b.term && a.index < b.index);
}

function same(a: CommitPoint, b: CommitPoint): boolean {
  return a.term === b.term && a.index === b.index;
}
