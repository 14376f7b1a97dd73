import type { Random } from '@replsim/kernel';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import type { Answer, ClientEnd, ReplSet } from '@replsim/replset';
import { type Waiting, waitFor } from '@replsim/scenario';

export type Doc = Record<string, unknown>;

/** A reply, as far as whoever writes clients has to know its fields. */
export interface Reply extends Doc {
  readonly ok: number;
  readonly code?: number;
  readonly errmsg?: string;
  readonly errorLabels?: readonly string[];
  readonly writeErrors?: readonly { readonly code: number }[];
  readonly writeConcernError?: { readonly code: number };
}

/** What a client hears of a server that does not answer: whether the command was carried out it cannot know. */
const NO_ANSWER: Reply = { ok: 0, code: 6, errmsg: 'no answer' };
const PATIENCE_MICROS = 15_000_000;
/** How soon a client looks for a primary again. */
const LOOK_AGAIN_MICROS = 500_000;

/** A client that has one request under way at a time, from some place of the network or outside of it. */
export class Caller {
  readonly random: Random;
  readonly set: ReplSet;
  readonly #end: ClientEnd;

  constructor(set: ReplSet, name: string, random: Random) {
    this.set = set;
    this.random = random;
    this.#end = random.chance(0.5) ? set.client(name) : set.client(name, random.pick(set.memberNames));
  }

  *call(member: string, command: Doc): Waiting<Reply> {
    const answer = yield* waitFor<Answer | undefined>((resume) => {
      const hangUp = this.#end.schedule(PATIENCE_MICROS, () => {
        giveUp();
        resume(undefined);
      });
      const giveUp = this.#end.send(this.set.hostOf(member), encodeDocument(command), (got) => {
        hangUp();
        resume(got);
      });
    });
    return answer?.kind === 'reply' ? (decodePromoted(answer.reply) as Reply) : NO_ANSWER;
  }

  *pause(micros: number): Waiting<void> {
    yield* waitFor<void>((resume) => this.#end.schedule(micros, () => resume(undefined)));
  }

  /** Somebody who says that it is primary; anybody where nobody does so within a second, as clients believe what they saw last. */
  *primary(): Waiting<string> {
    for (let tries = 0; tries < 3; tries++) {
      const primaries = primariesOf(this.set);
      if (primaries.length > 0) return this.random.pick(primaries);
      yield* this.pause(LOOK_AGAIN_MICROS);
    }
    return this.random.pick(this.set.memberNames);
  }
}

/** Who says that it is a writable primary; two may, for a while. */
export function primariesOf(set: ReplSet): string[] {
  return set.memberNames.filter((name) => askNow(set, name, { hello: 1, $db: 'admin' }).isWritablePrimary === true);
}

/** What a member answers at this instant, at no cost in time. */
export function askNow(set: ReplSet, member: string, command: Doc): Doc {
  return decodePromoted(set.ask(member, encodeDocument(command)));
}
