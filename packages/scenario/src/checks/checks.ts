import { decodeFields, type MemberState, MemberStates } from '@replsim/protocol';
import type { PendingReply, ReplicaSetApi } from '@replsim/replset';
import { type Filling, Template } from '../file/placeholder.ts';
import { showDocument } from '../file/show.ts';
import type { Lateness } from '../lateness/lateness.ts';
import { ttlRefusal } from '../lateness/ttlRefusal.ts';
import type { LedgerCount, Phase } from '../ledgerCounts.ts';
import type { Check, CheckPart, Target } from '../scenario.ts';
import {
  compareDocuments,
  complaintAbout,
  endingOf,
  firstBatch,
  isNumber,
  matcher,
  showAll,
  showErrors,
  showTemplate,
} from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import { logLines } from '../stage/logLines.ts';
import type { Members } from '../stage/members.ts';
import { withSecondaryOk } from '../stage/secondaryOk.ts';
import type { Streams } from '../streams/streams.ts';
import type { Ledgers } from '../workload/ledgers.ts';
import { LastAnswers } from './lastAnswers.ts';
import { sameData } from './sameData.ts';
import { type Asked, sumRefusal } from './sumCheck.ts';

/** Why a check does not hold; undefined when it does. */
export type Refusal =
  | {
      readonly asked: string;
      readonly got: string;
      readonly advice?: string | undefined;
      /** Nobody could say whether it holds or not. */
      readonly unanswered?: boolean;
      /** No member takes writes, where one was asked for. */
      readonly noPrimary?: boolean;
    }
  | undefined;

const GET_STATUS = new Template(
  new Map<string, unknown>([
    ['replSetGetStatus', 1],
    ['$db', 'admin'],
  ]),
);
/** What is read of its answer, and of that to a count. */
const STATE = new Set(['ok', 'myState', 'state', 'code', 'codeName']);
const COUNTED = new Set(['n']);
const stateByNumber = new Map<number, string>(Object.entries(MemberStates).map(([name, number]) => [number, name]));

/** Answers checks by asking members at this very instant, at no cost in virtual time. */
export class Checks {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #fillings: Fillings;
  readonly #replies: ReadonlyMap<string, PendingReply>;
  readonly #ledgers: Ledgers;
  readonly #lateness: Lateness;
  readonly #streams: Streams;
  readonly #answers: LastAnswers;
  #refused: CheckPart | undefined;

  constructor(
    set: ReplicaSetApi,
    members: Members,
    fillings: Fillings,
    replies: ReadonlyMap<string, PendingReply>,
    ledgers: Ledgers,
    lateness: Lateness,
    streams: Streams,
  ) {
    this.#set = set;
    this.#members = members;
    this.#fillings = fillings;
    this.#replies = replies;
    this.#ledgers = ledgers;
    this.#lateness = lateness;
    this.#streams = streams;
    this.#answers = new LastAnswers(set);
  }

  /** Why the first part of the check that does not hold does not, if any. */
  refusal(check: Check): Refusal {
    this.#answers.begin(check);
    for (const part of check.parts) {
      const refusal = this.#part(part);
      this.#refused = part;
      if (refusal) return refusal;
    }
    this.#refused = undefined;
    return undefined;
  }

  /** The part that did not hold when a check was last answered. */
  get refused(): CheckPart | undefined {
    return this.#refused;
  }

  #part(part: CheckPart): Refusal {
    switch (part.kind) {
      case 'primary':
        return this.#primary(part.who);
      case 'state':
        return this.#states(part.states);
      case 'count':
        return this.#each(part.on, part.command, (reply, filling) => {
          const { n } = decodeFields(reply, COUNTED);
          return isNumber(part.is, n, filling) ? undefined : { asked: `count ${part.is.text}`, got: `${n}` };
        });
      case 'find':
        return this.#each(part.on, part.command, (reply, filling) =>
          compareDocuments(firstBatch(reply), part.is, part.ordered, filling),
        );
      case 'sum':
        return this.#eachMember(part.on, (asked) => sumRefusal(part, asked));
      case 'command':
        return this.#eachReply(part.on, part.command, (reply, filling) => complaintAbout(reply, part.wants, filling));
      case 'oplogCount':
        return this.#each(part.on, part.command, (reply, filling) => {
          const entries = firstBatch(reply);
          if (isNumber(part.is, entries.length, filling)) return undefined;
          return { asked: `${part.is.text} matching entries`, got: `${entries.length}: ${showEntries(entries)}` };
        });
      case 'oplogEntries':
        return this.#each(part.on, part.command, (reply, filling) =>
          compareEntries(firstBatch(reply), part.entries, filling),
        );
      case 'log':
        return this.#eachReply(part.on, GET_LOG, (reply, filling) => {
          const lines = logLines(reply).filter(matcher(part.filter, filling));
          if (isNumber(part.is, lines.length, filling)) return undefined;
          return {
            asked: `${part.is.text} log lines that match ${showTemplate(part.filter, filling)}`,
            got: `${lines.length}: ${showEntries(lines)}`,
          };
        });
      case 'same':
        return sameData(this.#set, this.#members, part.namespaces);
      case 'reply':
        return this.#reply(part.name, part.wants);
      case 'workload':
        return this.#ledger(part);
      case 'stream':
        return this.#streams.refusal(part);
      case 'ttl':
        return ttlRefusal(part, this.#lateness, this.#fillings.for(part.on));
      case 'not':
        return this.#not(part.check);
    }
  }

  /** What nobody can answer holds neither as it is nor the other way round. */
  #not(check: Check): Refusal {
    const refusal = this.refusal(check);
    const asked = `not (${check.text})`;
    if (!refusal) return { asked, got: 'it holds' };
    return refusal.unanswered ? { ...refusal, asked } : undefined;
  }

  /** n1's own word, and nobody of an equal or higher term who says the same. */
  #primary(who: string): Refusal {
    const primaries = this.#members.names
      .filter((member) => this.#set.status(member).saysPrimary)
      .map((member) => this.#members.hello(member));
    const got =
      primaries.length === 0
        ? 'no member says it is a writable primary'
        : `${primaries.map(({ member }) => member).join(' and ')} ${primaries.length > 1 ? 'say' : 'says'} so`;
    const noPrimary = primaries.length === 0;
    if (who === 'any') return noPrimary ? { asked: 'some primary', got, noPrimary } : undefined;
    if (who === 'none') return primaries.length === 0 ? undefined : { asked: 'no primary', got };
    const own = primaries.find(({ member }) => member === who);
    const rival = own && primaries.find(({ member, electionId }) => member !== who && electionId >= own.electionId);
    return own && !rival
      ? undefined
      : { asked: `${who} is primary`, got: this.#members.answers(who) ? got : this.#members.silence(who), noPrimary };
  }

  #states(states: readonly (readonly [string, MemberState])[]): Refusal {
    const wrong = states
      .map(([member, wanted]) => ({ member, wanted, is: this.stateOf(member) }))
      .filter(({ wanted, is }) => wanted !== is);
    if (wrong.length === 0) return undefined;
    return {
      asked: wrong.map(({ member, wanted }) => `${member} is ${wanted}`).join(', '),
      got: wrong.map(({ member, is }) => `${member} is ${is}`).join(', '),
    };
  }

  /** The state that a member says it is in; `DOWN` without a process, other words where it is in none. */
  stateOf(member: string): string {
    const { running, paused } = this.#set.status(member);
    if (!running) return 'DOWN';
    if (paused) return 'paused';
    const status = this.#answers.ask(member, GET_STATUS, this.#fillings.for(member));
    const { ok, myState, state, code, codeName } = decodeFields(status, STATE);
    if (ok === 1) return stateByNumber.get(myState) ?? String(myState);
    // A member without a config says so by an error; REMOVED brings its state along.
    if (code === 94) return 'STARTUP';
    return stateByNumber.get(state) ?? `not in a set (${codeName})`;
  }

  #reply(name: string, wants: Parameters<typeof complaintAbout>[1]): Refusal {
    const pending = this.#replies.get(name);
    if (pending?.reply === undefined) return { asked: `an answer to ${name}`, got: 'there is none yet' };
    if (!wants.matches && !wants.error) return undefined;
    const refusal = complaintAbout(pending.reply, wants, this.#fillings.for(pending.member));
    return refusal && { ...refusal, asked: `${name}: ${refusal.asked}` };
  }

  #ledger({ name, counts: wanted, latencies, phase }: Extract<CheckPart, { kind: 'workload' }>): Refusal {
    const counts = this.#ledgers.counts(name, this.#set.nowMicros);
    if (!counts) return { asked: `a ledger of ${name}`, got: 'it was not started' };
    const filling = this.#fillings.for(undefined);
    const wrong = wanted.filter(([count, test]) => !isNumber(test, counts[count], filling));
    if (wrong.length === 0)
      return restsOnNothing(name, wanted, counts) ?? this.#latency(name, latencies, phase, filling);
    return {
      asked: `${name}: ${wrong.map(([count, { text }]) => `${count} ${text}`).join(', ')}`,
      got: Object.entries(counts)
        .map(([count, number]) => `${count} ${number}`)
        .join(', '),
    };
  }

  /** Of nothing there is no latency: a check of it fails. */
  #latency(
    name: string,
    wanted: Extract<CheckPart, { kind: 'workload' }>['latencies'],
    phase: Phase | undefined,
    filling: Filling,
  ): Refusal {
    if (wanted.length === 0) return undefined;
    const latency = this.#ledgers.latency(name, phase);
    const when = phase === undefined ? '' : `, phase ${phase}`;
    const asked = (tests: typeof wanted) =>
      `${name}: ${tests.map(([each, { text }]) => `${each} ${text}`).join(', ')}${when}`;
    if (!latency) {
      const got = `nothing was acknowledged or answered${phase === undefined ? '' : ' in that phase'}`;
      return { asked: asked(wanted), got, advice: 'let time pass first: "- advance: 10s"' };
    }
    const wrong = wanted.filter(([each, test]) => !isNumber(test, latency[each], filling));
    if (wrong.length === 0) return undefined;
    const got = Object.entries(latency).map(([each, number]) => `${each} ${number}`);
    return { asked: asked(wrong), got: got.join(', ') };
  }

  /** Asks every member that the target means, for `any` until it holds on one; an error in the answer is no answer. */
  #each(on: Target, command: Template, judge: (reply: Uint8Array, filling: Filling) => Refusal): Refusal {
    return this.#eachReply(on, command, (reply, filling) => {
      const { ok, errors } = endingOf(reply);
      if (ok) return judge(reply, filling);
      return { asked: showTemplate(command, filling), got: showErrors(errors), unanswered: true };
    });
  }

  #eachReply(on: Target, command: Template, judge: (reply: Uint8Array, filling: Filling) => Refusal): Refusal {
    return this.#eachMember(on, ({ ask, filling }) => judge(ask(command), filling));
  }

  #eachMember(on: Target, judge: (asked: Asked) => Refusal): Refusal {
    const members = this.#members.toAsk(on);
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
    for (const member of this.#members.toAsk(['all'])) {
      const refusal = this.#oneMember(member, judge);
      if (!refusal) return undefined;
      refusals.push(refusal);
    }
    const reason = refusals.find(({ unanswered }) => unanswered) ?? refusals[0];
    return reason && { ...reason, asked: `${reason.asked}, or on any other` };
  }

  #oneMember(member: string, judge: (asked: Asked) => Refusal): Refusal {
    if (!this.#members.answers(member))
      return { asked: `an answer from ${member}`, got: this.#members.silence(member), unanswered: true };
    const filling = this.#fillings.for(member);
    const ask = (command: Template) => this.#answers.ask(member, withSecondaryOk(command), filling);
    const refusal = judge({ ask, filling, epochMs: this.#set.epochMs });
    return refusal && { ...refusal, asked: `${refusal.asked}, on ${member}` };
  }
}

/** What is none of nothing. */
const SHARES: readonly (readonly [share: LedgerCount, of: LedgerCount, done: string])[] = [
  ['lost', 'acknowledged', 'nothing was acknowledged'],
  ['dirtyReads', 'reads', 'nothing was read'],
  ['staleReads', 'reads', 'nothing was read'],
  ['tornSums', 'sums', 'nothing was added up, or it did not change meanwhile'],
];

/** Where nothing was acknowledged nothing can be lost: whoever wants that says how much was acknowledged, too. */
function restsOnNothing(
  name: string,
  wanted: readonly (readonly [LedgerCount, unknown])[],
  counts: Readonly<Record<LedgerCount, number>>,
): Refusal {
  const asked = new Set(wanted.map(([count]) => count));
  const empty = SHARES.find(([share, of]) => asked.has(share) && !asked.has(of) && counts[of] === 0);
  if (!empty) return undefined;
  const [share, of, done] = empty;
  return {
    asked: `${name}: ${share} of something`,
    got: done,
    advice: `let time pass first: "- advance: 10s"; if there should be none, add ${of}: 0`,
  };
}

const GET_LOG = new Template(
  new Map<string, unknown>([
    ['getLog', 'global'],
    ['$db', 'admin'],
  ]),
);

/** Entries in oplog order, each as its filter says. */
function compareEntries(entries: readonly Uint8Array[], filters: readonly Template[], filling: Filling): Refusal {
  const wrong = filters.findIndex((filter, index) => !entries[index] || !matcher(filter, filling)(entries[index]));
  if (wrong < 0 && entries.length === filters.length) return undefined;
  const missed = filters[wrong];
  const wanted =
    missed === undefined
      ? `${filters.length} entries`
      : `entry ${wrong + 1} of ${filters.length} like ${showTemplate(missed, filling)}`;
  return { asked: wanted, got: `${entries.length}: ${showEntries(entries)}` };
}

function showEntries(entries: readonly Uint8Array[]): string {
  return showAll(entries.map((entry) => showDocument(entry, 160)));
}
