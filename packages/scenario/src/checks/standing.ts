import { compareOpTimes, decodePromoted, encodeDocument, type OpTime, type Timestamp } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Members } from '../stage/members.ts';

/** Of a reply of `replSetGetStatus`. */
interface Status {
  readonly optimes: { readonly lastCommittedOpTime: Position; readonly appliedOpTime: Position };
  readonly members: readonly { readonly name: string; readonly stateStr: string; readonly optime?: Position }[];
}
interface Position {
  readonly ts: Timestamp;
  readonly t: unknown;
}

const STATUS = encodeDocument({ replSetGetStatus: 1, $db: 'admin' });
/** By then a first primary has written what a new set needs. */
const FIRST_WRITES_MICROS = 500_000;

/** How a member that serves says what it is, in the order in which they are told. */
const SERVING: ReadonlyMap<string, readonly [one: string, several: string]> = new Map([
  ['PRIMARY', ['primary', 'primaries']],
  ['SECONDARY', ['a secondary', 'secondaries']],
  ['ARBITER', ['an arbiter', 'arbiters']],
]);

/** Watches a set come to life. */
export class Standing {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #delayed: readonly string[];
  #primary: { readonly name: string; readonly sinceMicros: number } | undefined;
  /** The last of what its primary wrote to begin with. */
  #first: OpTime | undefined;

  /** @param delayed members that have everything only later, on purpose */
  constructor(set: ReplicaSetApi, members: Members, delayed: readonly string[]) {
    this.#set = set;
    this.#members = members;
    this.#delayed = delayed;
  }

  /**
   * Who is what, in words, once the set has a primary that takes writes, everybody in its config serves, and all have what the
   * primary wrote to begin with, which a majority is known to have; undefined until then.
   */
  get text(): string | undefined {
    const name = this.#members.primary();
    if (name === undefined) return undefined;
    const { optimes, members } = decodePromoted(this.#set.ask(name, STATUS)) as Status;
    const { nowMicros } = this.#set;
    if (this.#primary?.name !== name) this.#primary = { name, sinceMicros: nowMicros };
    const isNew = nowMicros - this.#primary.sinceMicros < FIRST_WRITES_MICROS;
    if (!this.#first || isNew) this.#first = opTimeOf(optimes.appliedOpTime);
    return this.#stand(members, optimes.lastCommittedOpTime, this.#first) ? this.#whoIsWhat(members) : undefined;
  }

  #stand(members: Status['members'], committed: Position, first: OpTime): boolean {
    const has = (position: Position | undefined) =>
      position !== undefined && compareOpTimes(opTimeOf(position), first) >= 0;
    return (
      has(committed) &&
      members.every(({ name, stateStr, optime }) => {
        if (!SERVING.has(stateStr)) return false;
        return stateStr === 'ARBITER' || this.#delayed.includes(this.#members.at(name)) || has(optime);
      })
    );
  }

  #whoIsWhat(members: Status['members']): string {
    const groups = [...SERVING].map(([state, [one, several]]) => {
      const names = members.filter(({ stateStr }) => stateStr === state).map(({ name }) => this.#members.at(name));
      if (names.length === 0) return '';
      return names.length === 1 ? `${names[0]} is ${one}` : `${names.join(', ')} are ${several}`;
    });
    return groups.filter((group) => group !== '').join('; ');
  }
}

function opTimeOf({ ts, t }: Position): OpTime {
  return { ts: { t: ts.t, i: ts.i }, t: Number(t) };
}
