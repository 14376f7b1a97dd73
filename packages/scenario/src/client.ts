import type { PendingReply, ReplicaSetApi } from '@replsim/replset';
import { complaintAbout, endingOf } from './answers.ts';
import { formatDuration } from './duration.ts';
import type { Fillings } from './fillings.ts';
import type { Members } from './members.ts';
import { type Filling, Template } from './placeholder.ts';
import { newConfigCommand } from './reconfig.ts';
import type { ClientAction, ReconfigAction, Target, Wants } from './scenario.ts';
import { fill, withSecondaryOk } from './secondaryOk.ts';
import { StepFailure } from './stepFailure.ts';

/** Upstream: the drivers' default `serverSelectionTimeoutMS`. */
const SERVER_SELECTION_MICROS = 30_000_000;
/** A command that is answered later than this is taken for one that hangs. */
const ANSWER_MICROS = 600_000_000;
/** After these a driver sends a retryable write once more. Upstream: the retryable writes specification. */
const RETRYABLE_CODES: ReadonlySet<number> = new Set([10107, 13435, 13436, 189, 11602, 91, 11600, 6, 7, 89, 9001]);

/** Lets virtual time pass until something holds; the player paces it. */
export type RunUntil = (done: () => boolean, limitMicros: number) => Promise<boolean>;

/** Sends what a scenario's client steps say, as a driver does: choose a server, send, retry a write once. */
export class Client {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #fillings: Fillings;
  readonly #runUntil: RunUntil;
  /** What was sent with `as: NAME`. */
  readonly replies = new Map<string, PendingReply>();

  constructor(set: ReplicaSetApi, members: Members, fillings: Fillings, runUntil: RunUntil) {
    this.#set = set;
    this.#members = members;
    this.#fillings = fillings;
    this.#runUntil = runUntil;
  }

  /** @throws StepFailure unless every member that was asked answers as the scenario wants */
  async run(action: ClientAction): Promise<void> {
    for (const command of action.commands) {
      const servers = await this.#select(action.on);
      const sent = servers.map((server) => this.#send(server, command, action));
      if (action.as !== undefined) this.replies.set(action.as, sent[0]!.pending);
      else for (const each of sent) await this.#judge(each, action);
    }
  }

  /** Reads the config from the server, changes it, and sends it back. */
  async reconfig(action: ReconfigAction): Promise<void> {
    const [server] = await this.#select(action.on);
    const current = this.#set.ask(server!, GET_CONFIG.bytes(this.#fillings.for(server)));
    const ending = endingOf(current);
    if (!ending.ok) throw new StepFailure(`replSetGetConfig on ${server}`, ending.errors[0]!.errmsg);
    const filling = this.#fillings.for(server);
    const command = newConfigCommand(current, action, filling);
    const pending = this.#set.send(server!, command);
    if (action.as !== undefined) this.replies.set(action.as, pending);
    else this.#complain(await this.#answer(pending), filling, action.wants, pending.startedMicros);
  }

  #send(server: string, command: Template, { reads, on }: ClientAction): Sent {
    const filling = this.#fillings.for(server);
    const bytes = fill(reads && !on.includes('primary') ? withSecondaryOk(command) : command, filling);
    return { server, filling, bytes, pending: this.#set.send(server, bytes) };
  }

  async #judge({ pending, bytes, filling }: Sent, action: ClientAction): Promise<void> {
    let answered = await this.#answer(pending);
    if (this.#shouldRetry(answered.reply, action)) {
      const [server] = await this.#select(action.on);
      // The same bytes again, $now and $rand included; only the server may be another.
      answered = await this.#answer(this.#set.send(server!, bytes));
    }
    this.#complain(answered, filling, action.wants, pending.startedMicros);
  }

  #shouldRetry(reply: Uint8Array, { retryable, on, wants }: ClientAction): boolean {
    // A step that expects an error wants to see the first one.
    if (!retryable || wants.error || on.length !== 1 || on[0] !== 'primary') return false;
    return endingOf(reply).errors.some(({ where, code }) => where === 'command' && RETRYABLE_CODES.has(code));
  }

  #complain({ member, reply, endedMicros }: Answered, filling: Filling, wants: Wants, startedMicros: number): void {
    const complaint = complaintAbout(reply, wants, filling, endedMicros - startedMicros);
    if (complaint) throw new StepFailure(`${complaint.asked}, from ${member}`, complaint.got);
  }

  async #answer(pending: PendingReply): Promise<Answered> {
    const limit = Math.max(pending.startedMicros + ANSWER_MICROS, this.#set.nowMicros);
    await this.#runUntil(() => pending.reply !== undefined, limit);
    const { member, reply, endedMicros } = pending;
    if (reply !== undefined) return { member, reply, endedMicros: endedMicros ?? this.#set.nowMicros };
    throw new StepFailure(
      `an answer from ${member}`,
      `none came within ${formatDuration(ANSWER_MICROS)} of virtual time`,
    );
  }

  /** Waits for the servers that a target means, as drivers do. A member that is named is taken as it is. */
  async #select(target: Target): Promise<string[]> {
    let servers: string[] = [];
    const limit = this.#set.nowMicros + SERVER_SELECTION_MICROS;
    const found = await this.#runUntil(() => {
      servers = this.#members.toAsk(target);
      return servers.length > 0 && servers.every((server) => target.includes(server) || this.#members.answers(server));
    }, limit);
    if (found) return servers;
    throw new StepFailure(
      `a server for "${target.join(', ')}"`,
      `none within ${formatDuration(SERVER_SELECTION_MICROS)} (serverSelectionTimeoutMS); ${this.#whoIsWhat()}`,
    );
  }

  #whoIsWhat(): string {
    const says = this.#members.names.map((member) => {
      if (!this.#members.answers(member)) return this.#members.silence(member);
      const { isWritablePrimary, secondary } = this.#members.hello(member);
      return `${member} says it is ${isWritablePrimary ? 'primary' : secondary ? 'secondary' : 'neither primary nor secondary'}`;
    });
    return says.join(', ');
  }
}

interface Sent {
  readonly server: string;
  readonly filling: Filling;
  readonly bytes: Uint8Array;
  readonly pending: PendingReply;
}

interface Answered {
  readonly member: string;
  readonly reply: Uint8Array;
  readonly endedMicros: number;
}

const GET_CONFIG = new Template(
  new Map<string, unknown>([
    ['replSetGetConfig', 1],
    ['$db', 'admin'],
  ]),
);
