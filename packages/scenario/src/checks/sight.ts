import { decodeFields, MemberStates } from '@replsim/protocol';
import type { PendingReply, ReplicaSetApi } from '@replsim/replset';
import { type Filling, Template } from '../file/placeholder.ts';
import type { Lateness } from '../lateness/lateness.ts';
import type { Check, Target } from '../scenario.ts';
import { endingOf, showErrors, showTemplate } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { Members } from '../stage/members.ts';
import { withSecondaryOk } from '../stage/secondaryOk.ts';
import type { Streams } from '../streams/streams.ts';
import type { Ledgers } from '../workload/ledgers.ts';
import { LastAnswers } from './lastAnswers.ts';
import type { Refusal } from './refusal.ts';
import type { Asked } from './sumRefusal.ts';

const GET_STATUS = new Template(
  new Map<string, unknown>([
    ['replSetGetStatus', 1],
    ['$db', 'admin'],
  ]),
);
/** What is read of its answer. */
const STATE = new Set(['ok', 'myState', 'state', 'code', 'codeName']);
const stateByNumber = new Map<number, string>(Object.entries(MemberStates).map(([name, number]) => [number, name]));

/** What checks look at. */
export interface Seen {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  /** Of what was sent and not waited for. */
  readonly replies: ReadonlyMap<string, PendingReply>;
  readonly ledgers: Ledgers;
  readonly lateness: Lateness;
  readonly streams: Streams;
}

/** How checks look at it: they ask members at this very instant, at no cost in virtual time. */
export class Sight {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  readonly replies: ReadonlyMap<string, PendingReply>;
  readonly ledgers: Ledgers;
  readonly lateness: Lateness;
  readonly streams: Streams;
  readonly #answers: LastAnswers;

  constructor({ set, members, fillings, replies, ledgers, lateness, streams }: Seen) {
    this.set = set;
    this.members = members;
    this.fillings = fillings;
    this.replies = replies;
    this.ledgers = ledgers;
    this.lateness = lateness;
    this.streams = streams;
    this.#answers = new LastAnswers(set);
  }

  /** A check is about to be made. */
  begin(check: Check): void {
    this.#answers.begin(check);
  }

  /** The state that a member says it is in; `DOWN` without a process, other words where it is in none. */
  stateOf(member: string): string {
    const { running, paused } = this.set.status(member);
    if (!running) return 'DOWN';
    if (paused) return 'paused';
    const status = this.#answers.ask(member, GET_STATUS, this.fillings.for(member));
    const { ok, myState, state, code, codeName } = decodeFields(status, STATE);
    if (ok === 1) return stateByNumber.get(myState) ?? String(myState);
    // A member without a config says so by an error; REMOVED brings its state along.
    if (code === 94) return 'STARTUP';
    return stateByNumber.get(state) ?? `not in a set (${codeName})`;
  }

  /** Asks every member that the target means, for `any` until it holds on one; an error in the answer is no answer. */
  each(on: Target, command: Template, judge: (reply: Uint8Array, filling: Filling) => Refusal): Refusal {
    return this.eachReply(on, command, (reply, filling) => {
      const { ok, errors } = endingOf(reply);
      if (ok) return judge(reply, filling);
      return { asked: showTemplate(command, filling), got: showErrors(errors), unanswered: true };
    });
  }

  /** The same, whatever the answer is. */
  eachReply(on: Target, command: Template, judge: (reply: Uint8Array, filling: Filling) => Refusal): Refusal {
    return this.eachMember(on, ({ ask, filling }) => judge(ask(command), filling));
  }

  /** The same, of several answers. */
  eachMember(on: Target, judge: (asked: Asked) => Refusal): Refusal {
    const members = this.members.toAsk(on);
    if (members.length === 0)
      return {
        asked: `${on.join(', ')}`,
        got: on[0] === 'primary' ? 'no member says it is primary' : 'no such member answers',
        unanswered: true,
        noPrimary: on[0] === 'primary',
      };
    if (on.length === 1 && on[0] === 'any') return this.#anyMember(judge);
    for (const member of members) {
      const refusal = this.#oneMember(member, judge);
      if (refusal) return refusal;
    }
    return undefined;
  }

  /** Holds if it holds on one of those that answer. Whoever cannot say is the reason why it does not, then the first of them. */
  #anyMember(judge: (asked: Asked) => Refusal): Refusal {
    const refusals: Exclude<Refusal, undefined>[] = [];
    for (const member of this.members.toAsk(['all'])) {
      const refusal = this.#oneMember(member, judge);
      if (!refusal) return undefined;
      refusals.push(refusal);
    }
    const reason = refusals.find(({ unanswered }) => unanswered) ?? refusals[0];
    return reason && { ...reason, asked: `${reason.asked}, or on any other` };
  }

  #oneMember(member: string, judge: (asked: Asked) => Refusal): Refusal {
    if (!this.members.answers(member))
      return { asked: `an answer from ${member}`, got: this.members.silence(member), unanswered: true };
    const filling = this.fillings.for(member);
    const ask = (command: Template) => this.#answers.ask(member, withSecondaryOk(command), filling);
    const refusal = judge({ ask, filling, epochMs: this.set.epochMs });
    return refusal && { ...refusal, asked: `${refusal.asked}, on ${member}` };
  }
}
