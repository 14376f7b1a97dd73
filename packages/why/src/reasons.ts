import { compareOpTimes, type OplogEntry, type TraceEvent, TraceNames } from '@replsim/protocol';
import { whyBehind } from './behind.ts';
import { whyNotDue, whyNotExpired } from './expiry.ts';
import { MemberStory, nameOf } from './memberStory.ts';
import { type Situation, whyNotPrimary, whyNotRunning } from './notPrimary.ts';
import { undueOf } from './undue.ts';
import { whoHasNotReported } from './unreported.ts';
import { Walls } from './walls.ts';

/** So many of the newest entries are remembered at least; of what is older than those remembered nothing is known. */
const KEPT_ENTRIES = 20_000;

/**
 * Why something that was expected did not happen, from the trace alone. Show it every event in order, ask at any time;
 * each answer is a list of sentences, empty where nothing stands in the way that the trace knows of.
 */
export class Reasons {
  readonly #names = new TraceNames();
  readonly #members = new Map<string, MemberStory>();
  #walls = new Walls([]);
  /** What primaries wrote, oldest first; a rollback takes out what it undoes. */
  #written: OplogEntry[] = [];
  /** Whether there were older ones. */
  #forgot = false;
  #epochMs = 0;
  #nowMicros = 0;
  readonly #expiring = new Set<string>();

  observe(given: TraceEvent): void {
    const event = this.#names.named(given);
    this.#nowMicros = event.atMicros;
    if (event.type === 'runStarted') {
      this.#walls = new Walls(event.members);
      this.#epochMs = event.epochMs;
      for (const name of event.members) this.#members.set(name, new MemberStory(name));
    }
    this.#walls.observe(event);
    if (!('member' in event)) return;
    this.#members.get(event.member)?.observe(event);
    if (event.type === 'voteAnswered') this.#answered(event);
    if (event.type === 'oplogWritten' && event.origin === 'self') this.#wrote(event.entries);
    if (event.type === 'rolledBack') this.#undone(event.removedEntries);
    if (event.type === 'ttlIndexRegistered') this.#expiring.add(event.ns);
  }

  /** Why a member, or nobody, is a primary that accepts writes. @param who a member's name; everybody by default */
  primary(who?: string): string[] {
    const asked = who === undefined ? [...this.#members.values()] : [this.#members.get(who)].filter((story) => !!story);
    const reasons = asked
      .map((story) => whyNotPrimary(story, this.#situation))
      .filter((reason) => reason !== undefined);
    const primary = this.#primary();
    return who !== undefined && primary && primary.name !== who
      ? [...reasons, `${primary.name} is primary, in term ${primary.term}`]
      : reasons;
  }

  /** Why a member is in the state that it is in, where that is not SECONDARY or PRIMARY. */
  state(who: string): string[] {
    const story = this.#members.get(who);
    if (!story) return [];
    const down = whyNotRunning(story);
    if (down) return [down];
    const { state, initialSync } = story;
    if (!initialSync) return [`${who} is ${state.is} since ${(state.sinceMicros / 1e6).toFixed(3)}s`];
    return [`${who} is in its initial sync${initialSync.detail ? `: ${initialSync.detail}` : ''}`];
  }

  /** Why the data of a collection on some members are not what they were expected to be. */
  data(members: readonly string[], ns: string): string[] {
    const lags = members.flatMap((name) => this.#lag(name));
    if (lags.length > 0 || !this.#expiring.has(ns)) return lags;
    const primary = this.#primary();
    const expiry = primary ? whyNotExpired(primary) : 'there is no primary, so that no TTL monitor deletes anything';
    const undue = undueOf(this.#written, ns, this.#epochMs + this.#nowMicros / 1000);
    return [...(undue ? whyNotDue(undue, this.#epochMs, this.#forgot) : []), expiry];
  }

  /** Why a write waits: who has not told the primary that it has the newest entry. */
  write(): string[] {
    const primary = this.#primary();
    // One that was cut off may be writing, too.
    const newest = this.#written.findLast(({ opTime }) => opTime.t === primary?.term)?.opTime;
    if (!primary || !newest) return this.primary();
    return whoHasNotReported(primary, newest, this.#situation, Math.floor(this.#epochMs / 1000));
  }

  get #situation(): Situation {
    return { walls: this.#walls, members: this.#members };
  }

  /** The one that leads: of the latest term, if another does not know yet that it has been deposed. */
  #primary(): MemberStory | undefined {
    const leading = [...this.#members.values()].filter((story) => story.accepts && !whyNotRunning(story));
    return leading.sort((a, b) => b.term - a.term)[0];
  }

  #lag(name: string): string[] {
    const story = this.#members.get(name);
    if (!story || story.accepts) return [];
    const { applied } = story;
    let first = this.#written.length;
    while (first > 0 && (!applied || compareOpTimes(this.#written[first - 1]!.opTime, applied) > 0)) first--;
    const missing = this.#written.length - first;
    return missing === 0 ? [] : [whyBehind(story, { missing, orMore: first === 0 && this.#forgot }, this.#situation)];
  }

  #answered({ candidate, member, term, dryRun, granted, reason }: Extract<TraceEvent, { type: 'voteAnswered' }>): void {
    const round = this.#members.get(nameOf(candidate))?.round;
    if (round?.term === term && round.dryRun === dryRun) round.answers.set(member, { granted, reason });
  }

  #wrote(entries: readonly OplogEntry[]): void {
    for (const entry of entries) this.#written.push(entry);
    if (this.#written.length <= 2 * KEPT_ENTRIES) return;
    this.#written = this.#written.slice(-KEPT_ENTRIES);
    this.#forgot = true;
  }

  #undone(removed: readonly OplogEntry[]): void {
    const gone = new Set(removed.map(({ opTime: { ts, t } }) => `${ts.t} ${ts.i} ${t}`));
    this.#written = this.#written.filter(({ opTime: { ts, t } }) => !gone.has(`${ts.t} ${ts.i} ${t}`));
  }
}
