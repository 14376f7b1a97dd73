import { Random } from '@replsim/kernel';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Filling } from '../file/placeholder.ts';

/** What placeholders stand for in one run. */
export class Fillings {
  readonly lets = new Map<string, unknown>();
  readonly #set: ReplicaSetApi;
  readonly #random: Random;
  readonly #firstConfig: unknown;

  constructor(set: ReplicaSetApi, firstConfig: unknown) {
    this.#set = set;
    // A stream of its own: a scenario that draws shifts nothing in the members.
    this.#random = Random.fromSeed(set.seed).split('scenario');
    this.#firstConfig = firstConfig;
  }

  /** What is known now, for who must leave no trace in the run: it draws by itself, and so takes no draw from the steps. */
  aside(): Fillings {
    const aside = new Fillings(this.#set, this.#firstConfig);
    for (const [name, value] of this.lets) aside.lets.set(name, value);
    return aside;
  }

  /** @param member whose wall clock `$now` reads; time zero's clock if nobody is asked */
  for(member: string | undefined): Filling {
    const { nowMicros, epochMs } = this.#set;
    const nowMs = member === undefined ? epochMs + nowMicros / 1000 : this.#set.wallMs(member);
    return { nowMs: Math.floor(nowMs), random: this.#random, lets: this.lets, firstConfig: this.#firstConfig };
  }
}

/** The config that a scenario's members stand for, as `initiate` sends it. */
export function firstConfigOf(
  set: ReplicaSetApi,
  options: { readonly members: readonly MemberLike[]; readonly settings?: object },
): unknown {
  const members = options.members.filter(({ spare, standalone }) => !spare && !standalone);
  return {
    _id: set.setName,
    version: 1,
    members: members.map(({ name, config }, index) => ({ _id: index, host: set.hostOf(name), ...config })),
    ...(options.settings && { settings: options.settings }),
  };
}

interface MemberLike {
  readonly name: string;
  readonly config?: object;
  readonly spare?: boolean;
  readonly standalone?: boolean;
}
