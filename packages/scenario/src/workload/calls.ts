import type { Outcome } from '@replsim/driver';
import type { ClientTrace } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Told } from './told.ts';

type Called = Extract<ClientTrace, { type: 'clientCalled' }>;
type Returned = Extract<ClientTrace, { type: 'clientReturned' }>;

/** Ends a call. */
export type Return = (outcome: Returned['outcome'], found?: Pick<Returned, 'value' | 'operations'>) => void;

/** Notes what one client calls and what it is told, for the history of its workload: only what the client itself can see. */
export class Calls {
  readonly #set: ReplicaSetApi;
  readonly #of: { readonly workload: string; readonly client: string };
  #calls = 0;

  constructor(set: ReplicaSetApi, workload: string, client: string) {
    this.#set = set;
    this.#of = { workload, client };
  }

  begin(what: Pick<Called, 'kind' | 'key' | 'value' | 'operations'>): Return {
    const of = { ...this.#of, call: ++this.#calls };
    this.#set.record({ type: 'clientCalled', ...of, ...what });
    return (outcome, found = {}) => this.#set.record({ type: 'clientReturned', ...of, outcome, ...found });
  }
}

/** Errors before anything was written: DuplicateKey, NotWritablePrimary, NotPrimaryNoSecondaryOk. */
const NOTHING_WRITTEN: ReadonlySet<number> = new Set([11000, 10107, 13435]);

/**
 * Whether a write was done, as far as its client can know. It was certainly not done only if it was sent once at most and nobody can
 * have carried it out; a write concern that failed, or a second attempt, says nothing of what was written.
 */
export function fateOf(attempts: number, outcome: Outcome, told: Told): Returned['outcome'] {
  if (told.outcome === 'acknowledged') return 'ok';
  if (attempts > 1) return 'info';
  if (outcome.kind !== 'reply') return outcome.reached ? 'info' : 'fail';
  const { name, code } = told.error ?? {};
  const isCertain = name !== 'MongoWriteConcernError' && code !== undefined && NOTHING_WRITTEN.has(code);
  return isCertain ? 'fail' : 'info';
}
