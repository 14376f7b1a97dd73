import type { Random } from '@replsim/kernel';
import type { Latency } from './api.ts';
import { latencyRange } from './linkSettings.ts';

/** A client as faults see it: a connection, or a client beside the set. */
export interface FaultyClient {
  /** `application.name` of its handshake, or its own name; undefined before there was one, and where it says none. */
  readonly appName: string | undefined;
}

/** What a fault does to clients: one of these. */
export type ClientChange =
  /** Their connections are closed, and new ones as soon as they have said who they are. */
  | { readonly cut: boolean }
  /** Nothing is read from them, and nothing is answered. */
  | { readonly freeze: boolean }
  /** Replies reach them so much later; 0 undoes it. */
  | { readonly delayMs: Latency }
  /** Undoes all of these. */
  | { readonly heal: true };

/** Who is meant: all, or those that bear a name; but not those who are excepted. */
export interface ClientChoice {
  readonly appName?: string | undefined;
  readonly exceptNames: readonly string[];
  readonly exceptConnections: readonly FaultyClient[];
}

type Kind = 'cut' | 'freeze' | 'delayMs';
const KINDS: readonly Kind[] = ['cut', 'freeze', 'delayMs'];

/** One fault that stands. */
interface Rule extends ClientChoice {
  readonly kind: Kind;
  /** Of `delayMs`. Unit: ms. */
  readonly delayMs: readonly [min: number, max: number];
}

/** What waits for a frozen client to be released. */
interface Waiting {
  readonly member: string;
  readonly client: FaultyClient;
  readonly goOn: () => void;
  /** The connection is closed before that. */
  readonly lost: () => void;
}

/** What stands between clients and members, and what waits for it to end. */
export class ClientFaults {
  readonly #random: Random;
  readonly #rules = new Map<string, readonly Rule[]>();
  #waiting: Waiting[] = [];

  /** @param random a stream of its own, for delays */
  constructor(random: Random) {
    this.#random = random;
  }

  /** Whether a choice means a client. */
  static means({ appName, exceptNames, exceptConnections }: ClientChoice, client: FaultyClient): boolean {
    if (appName !== undefined && appName !== client.appName) return false;
    if (client.appName !== undefined && exceptNames.includes(client.appName)) return false;
    return !exceptConnections.includes(client);
  }

  /** Something changes for the clients of one member. A fault of the same kind for the same name takes the place of the last. */
  change(member: string, choice: ClientChoice, change: ClientChange): void {
    if ('heal' in change) {
      for (const kind of KINDS) this.#undo(member, kind, choice.appName);
      return;
    }
    const kind = 'cut' in change ? 'cut' : 'freeze' in change ? 'freeze' : 'delayMs';
    const delayMs = 'delayMs' in change ? latencyRange(change.delayMs) : NO_DELAY;
    if (!begins(change)) return this.#undo(member, kind, choice.appName);
    const others = this.#of(member).filter((rule) => rule.kind !== kind || rule.appName !== choice.appName);
    this.#rules.set(member, [...others, { ...choice, kind, delayMs }]);
  }

  /** Whoever is named is free of what befalls all, too. */
  #undo(member: string, kind: Kind, appName: string | undefined): void {
    const left = this.#of(member).filter((rule) => rule.kind !== kind || (appName ?? rule.appName) !== rule.appName);
    const free = (rule: Rule): Rule =>
      appName !== undefined && rule.kind === kind && rule.appName === undefined
        ? { ...rule, exceptNames: [...rule.exceptNames, appName] }
        : rule;
    if (left.length === 0) this.#rules.delete(member);
    else this.#rules.set(member, left.map(free));
  }

  cuts(member: string, client: FaultyClient): boolean {
    return this.#rule('cut', member, client) !== undefined;
  }

  freezes(member: string, client: FaultyClient): boolean {
    return this.#rule('freeze', member, client) !== undefined;
  }

  /** How much later a reply reaches a client; each time drawn anew. A fault that names the client comes before one that means all. */
  delayMicros(member: string, client: FaultyClient): number {
    const rule = this.#rule('delayMs', member, client);
    if (rule === undefined) return 0;
    const [min, max] = rule.delayMs.map((ms) => Math.round(ms * 1000)) as [number, number];
    return min === max ? min : this.#random.int(min, max + 1);
  }

  /** Something waits until the client is frozen no longer, behind whatever waits already. */
  wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** Lets go on what is free to, in its order. */
  letGo(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(
      (each) => !this.cuts(each.member, each.client) && this.freezes(each.member, each.client),
    );
    for (const each of waiting) {
      if (this.cuts(each.member, each.client)) each.lost();
      else if (!this.#waiting.includes(each)) each.goOn();
    }
  }

  #rule(kind: Kind, member: string, client: FaultyClient): Rule | undefined {
    if (this.#rules.size === 0) return undefined;
    const rules = this.#of(member).filter((rule) => rule.kind === kind && ClientFaults.means(rule, client));
    return rules.find(({ appName }) => appName !== undefined) ?? rules[0];
  }

  #of(member: string): readonly Rule[] {
    return this.#rules.get(member) ?? [];
  }
}

/** Whether a change begins something; otherwise it ends it. */
export function begins(change: ClientChange): boolean {
  if ('heal' in change) return false;
  if ('delayMs' in change) return latencyRange(change.delayMs)[1] > 0;
  return 'cut' in change ? change.cut : change.freeze;
}

const NO_DELAY = [0, 0] as const;
