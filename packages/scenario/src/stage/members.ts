import { describeServer, seedTopology, type TopologyDescription, updateTopology } from '@replsim/driver';
import { decodeFields, decodePromoted, encodeDocument } from '@replsim/protocol';
import { membersMeant, type ReplicaSetApi, type Roster } from '@replsim/replset';
import type { Target } from '../scenario.ts';

/** What a member's `hello` says, as far as drivers use it. */
export interface Hello {
  readonly member: string;
  readonly isWritablePrimary: boolean;
  readonly secondary: boolean;
  readonly arbiterOnly: boolean;
  /** Hex, so that it compares as text; empty unless this member leads. */
  readonly electionId: string;
  readonly setVersion: number;
  /** It takes `lsid`. */
  readonly logicalSessions: boolean;
  /** It belongs to a set, and so takes `txnNumber` and `$clusterTime`. */
  readonly inSet: boolean;
}

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });
/** What is read of it. */
const TOLD = new Set([
  'isWritablePrimary',
  'secondary',
  'arbiterOnly',
  'electionId',
  'setVersion',
  'logicalSessionTimeoutMinutes',
  'setName',
]);

/** The members as a driver sees them: by `hello` alone, and only those whose process answers. */
export class Members {
  readonly #set: ReplicaSetApi;
  /** What each said last, and at which of its changes. */
  readonly #hellos = new Map<string, { readonly changes: number; readonly hello: Hello }>();

  constructor(set: ReplicaSetApi) {
    this.#set = set;
  }

  get names(): readonly string[] {
    return this.#set.memberNames;
  }

  /** Running and not paused: it answers. */
  answers(member: string): boolean {
    const { running, paused } = this.#set.status(member);
    return running && !paused;
  }

  /** The member that listens at an address. */
  at(host: string): string {
    return this.#set.memberAt(host) ?? host;
  }

  /** Why a member does not answer. */
  silence(member: string): string {
    return this.#set.status(member).running ? `${member} is paused and does not answer` : `${member} is not running`;
  }

  /** Asked again only after something happened to the member: checks ask everybody after each event. */
  hello(member: string): Hello {
    const { changes } = this.#set.status(member);
    const known = this.#hellos.get(member);
    if (known?.changes === changes) return known.hello;
    const hello = this.#ask(member);
    this.#hellos.set(member, { changes, hello });
    return hello;
  }

  #ask(member: string): Hello {
    const reply = decodeFields(this.#set.ask(member, HELLO), TOLD);
    return {
      member,
      isWritablePrimary: reply.isWritablePrimary === true,
      secondary: reply.secondary === true,
      arbiterOnly: reply.arbiterOnly === true,
      electionId: reply.electionId === undefined ? '' : String(reply.electionId),
      setVersion: Number(reply.setVersion ?? 0),
      logicalSessions: reply.logicalSessionTimeoutMinutes !== undefined,
      inSet: reply.setName !== undefined,
    };
  }

  /** The members that were started with a set's name; where there are none, all, as for a direct connection. */
  #ofTheSet(): string[] {
    const answering = this.names.filter((member) => this.answers(member));
    const ofTheSet = answering.filter((member) => this.#set.status(member).mode === 'replSet');
    return ofTheSet.length > 0 ? ofTheSet : answering;
  }

  /**
   * The primary that a driver would choose: of those that say so, the one of the latest election.
   * Upstream: the server discovery specification, which orders by (electionId, setVersion).
   */
  primary(): string | undefined {
    let best: Hello | undefined;
    for (const member of this.#ofTheSet()) {
      if (!this.#set.status(member).saysPrimary) continue;
      const hello = this.hello(member);
      if (
        !best ||
        hello.electionId > best.electionId ||
        (hello.electionId === best.electionId && hello.setVersion > best.setVersion)
      )
        best = hello;
    }
    return best?.member;
  }

  /** What a client would know that had asked everybody at this very instant. */
  topology(): TopologyDescription {
    const { nowMicros, setName } = this.#set;
    const told = this.names.map((member) => {
      const reply = this.answers(member) ? decodePromoted(this.#set.ask(member, HELLO)) : undefined;
      // A config may spell it otherwise.
      return { reply, address: String(reply?.me ?? this.#set.hostOf(member)) };
    });
    const seeds = told.map(({ address }) => address);
    return told.reduce(
      (topology, { reply, address }) =>
        reply === undefined ? topology : updateTopology(topology, describeServer(address, reply, nowMicros, 0)),
      seedTopology(setName, seeds, nowMicros),
    );
  }

  /** The members with data that answer, whatever their mode; arbiters hold none. */
  withData(): string[] {
    return this.names.filter((member) => this.answers(member) && !this.#isArbiter(member));
  }

  #isArbiter(member: string): boolean {
    return this.#set.status(member).saysArbiter ?? this.hello(member).arbiterOnly;
  }

  /**
   * The members that a command or check goes to; those that are named need not answer.
   * Empty when nobody fits, for instance `primary` while there is none.
   */
  toAsk(target: Target): string[] {
    return membersMeant(
      target,
      this.#roster(() => this.withData()),
    );
  }

  /** The members that a fault befalls: `all` is every process, running or not. */
  toHit(target: Target): string[] {
    return membersMeant(
      target,
      this.#roster(() => this.names),
    );
  }

  #roster(all: Roster['all']): Roster {
    return {
      names: this.names,
      all,
      primary: () => this.primary(),
      secondaries: () => this.#ofTheSet().filter((member) => this.hello(member).secondary),
    };
  }
}
