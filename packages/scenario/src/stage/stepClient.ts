import { DEFAULT_SELECTION, shouldRetry, suitableServers } from '@replsim/driver';
import { formatDuration, Random } from '@replsim/kernel';
import { decodePromoted, encodeDocument, required } from '@replsim/protocol';
import { barredText, type PendingReply, type ReplicaSetApi } from '@replsim/replset';
import { type Filling, Template } from '../file/placeholder.ts';
import { showPlain } from '../file/show.ts';
import type { ClientAction, ReconfigAction, StartTransactionAction, Step, Wants } from '../scenario.ts';
import { adviceOnErrors, isWithoutHeir } from './advice.ts';
import { complaintAbout, endingOf, firstBatch } from './answers.ts';
import type { Fillings } from './fillings.ts';
import type { LateFailure } from './lateFailure.ts';
import type { Members } from './members.ts';
import { newConfigCommand } from './reconfig.ts';
import { returnedBy } from './returned.ts';
import { fill, withSecondaryOk } from './secondaryOk.ts';
import { StepFailure } from './stepFailure.ts';
import { StepSessions } from './stepSessions.ts';

/** Upstream: the drivers' default `serverSelectionTimeoutMS`. */
const SERVER_SELECTION_MICROS = 30_000_000;
/** A command that is answered later than this is taken for one that hangs. */
const ANSWER_MICROS = 600_000_000;
/** What the host answers for a process that is not there: to a driver, a connection that broke. */
const HOST_UNREACHABLE = 6;

/** Lets virtual time pass until something holds; the player paces it. */
export type RunUntil = (done: () => boolean, limitMicros: number) => Promise<boolean>;

/**
 * Sends what a scenario's client steps say, as a driver does: choose a server, send in a session, send once more what may be.
 * It stands outside the set: it reaches every running member, and knows at each moment what each of them says of itself.
 */
export class StepClient {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #fillings: Fillings;
  readonly #runUntil: RunUntil;
  readonly #sessions: StepSessions;
  readonly #choice: Random;
  /** By session: the step that began its newest transaction. */
  readonly #began = new Map<string, Step>();
  /** What was sent with `as: NAME`. */
  readonly replies = new Map<string, PendingReply>();

  constructor(set: ReplicaSetApi, members: Members, fillings: Fillings, runUntil: RunUntil) {
    this.#set = set;
    this.#members = members;
    this.#fillings = fillings;
    this.#runUntil = runUntil;
    const random = Random.fromSeed(set.seed).split('steps');
    this.#sessions = new StepSessions(random.split('sessions'));
    this.#choice = random.split('server');
  }

  /**
   * @returns what the members answered in a few words; undefined where that says nothing, or is not waited for
   * @throws StepFailure unless every member that was asked answers as the scenario wants
   */
  async run(action: ClientAction): Promise<string | undefined> {
    const replies: Uint8Array[] = [];
    for (const command of action.commands) {
      const servers = await this.#select(action);
      const sent = servers.map((server) => this.#send(server, command, action));
      if (action.as !== undefined) this.replies.set(action.as, required(sent[0], 'server that was asked').pending);
      else for (const each of sent) replies.push(await this.#judge(each, action));
    }
    return action.as === undefined ? returnedBy(nameOf(action), replies) : undefined;
  }

  /** Throws StepFailure where one is under way. */
  startTransaction(step: Step, { session, options }: StartTransactionAction): void {
    this.#sessions.startTransaction(session, options.value);
    this.#began.set(session, step);
  }

  /** A transaction that is open now: its client has not ended it, and no member has. */
  leftOpen(): LateFailure | undefined {
    for (const [session, step] of this.#began) {
      const open = this.#sessions.openIn(session);
      const holders = open && this.#members.names.filter((member) => this.#hasOpen(member, open.currentOp));
      if (!open || (open.hasBegun && holders?.length === 0)) continue;
      const got = open.hasBegun ? `it is open on ${holders?.join(', ')}` : 'nothing was sent in it';
      const end = open.hasBegun
        ? `end it: "- commitTransaction: { session: ${session} }", or "abortTransaction"`
        : `name it in its statements: "session: ${session}"`;
      this.#set.record({ type: 'checked', text: `transaction of ${session} is over`, held: false, detail: got });
      return { step, failure: new StepFailure(`the transaction of ${session} has ended`, got, { advice: end }) };
    }
    return undefined;
  }

  #hasOpen(member: string, currentOp: Uint8Array): boolean {
    return this.#members.answers(member) && firstBatch(this.#set.ask(member, currentOp)).length > 0;
  }

  /** Reads the config from the server, changes it, and sends it back. @returns as `run` does */
  async reconfig(action: ReconfigAction): Promise<string | undefined> {
    const server = chosen(await this.#select(action));
    const current = this.#set.ask(server, GET_CONFIG.bytes(this.#fillings.for(server)));
    const ending = endingOf(current);
    if (!ending.ok)
      throw new StepFailure(`replSetGetConfig on ${server}`, required(ending.errors[0], 'error in the reply').errmsg);
    const filling = this.#fillings.for(server);
    const command = newConfigCommand(current, action, filling);
    const pending = this.#set.send(server, command);
    if (action.as !== undefined) {
      this.replies.set(action.as, pending);
      return undefined;
    }
    const answered = await this.#answer(pending);
    this.#complain(answered, filling, action.wants, pending.startedMicros);
    return returnedBy('replSetReconfig', [answered.reply]);
  }

  #send(server: string, command: Template, action: ClientAction): Sent {
    const filling = this.#fillings.for(server);
    const { reads, on } = action;
    const template = reads && !on.includes('primary') ? withSecondaryOk(command) : command;
    // Whoever is not there is asked for nothing.
    const hello = this.#members.answers(server) ? this.#members.hello(server) : undefined;
    const session = this.#sessions.for(action, hello);
    const bytes = session ? session.dress(template, (each) => fill(each, filling)) : fill(template, filling);
    return { server, filling, bytes, session, pending: this.#set.send(server, bytes, action.user) };
  }

  async #judge({ pending, bytes, filling, session }: Sent, action: ClientAction): Promise<Uint8Array> {
    let answered = await this.#answer(pending);
    if (session?.mayRetry !== false && this.#shouldRetry(answered.reply, action)) {
      const server = chosen(await this.#select(action));
      // The same bytes again, $now and $rand included; only the server may be another. A commit asks for more than before.
      const again = session?.again?.((each) => fill(each, filling)) ?? bytes;
      answered = await this.#answer(this.#set.send(server, again, action.user));
    }
    session?.end(answered.reply);
    this.#complain(answered, filling, action.wants, pending.startedMicros);
    return answered.reply;
  }

  #shouldRetry(reply: Uint8Array, { retryable, on, wants, commands }: ClientAction): boolean {
    // A step that expects an error wants to see the first one; one that names its member is a direct connection.
    if (!retryable || wants.error || on.length !== 1 || on[0] !== 'primary') return false;
    if (endingOf(reply).errors.some(({ where, code }) => where === 'command' && code === HOST_UNREACHABLE)) return true;
    return shouldRetry(
      { kind: 'reply', reply },
      required(commands[0], 'command of the step').value.has('find') ? 'read' : 'write',
    );
  }

  #complain({ member, reply, endedMicros }: Answered, filling: Filling, wants: Wants, startedMicros: number): void {
    const complaint = complaintAbout(reply, wants, filling, endedMicros - startedMicros);
    if (!complaint) return;
    const { errors } = endingOf(reply);
    const unheld = !wants.error && errors.length > 0 && errors.every(({ where }) => where === 'writeConcern');
    throw new StepFailure(`${complaint.asked}, from ${member}`, complaint.got, {
      ...(unheld && { wanted: 'writeConcern' }),
      advice: complaint.advice ?? this.#heirAdvice(errors) ?? adviceOnErrors(errors, () => this.#commandsOf(member)),
    });
  }

  /** Where a primary could not step down, as those who would follow it did so before. */
  #heirAdvice(errors: Parameters<typeof isWithoutHeir>[0]): string | undefined {
    const barred = isWithoutHeir(errors) ? barredText(this.#set) : undefined;
    return barred && `${barred}; let that time pass, or give the steps before a shorter stepDownSecs`;
  }

  #commandsOf(member: string): string[] {
    return Object.keys(decodePromoted(this.#set.ask(member, LIST_COMMANDS)).commands ?? {});
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

  /** Waits for the servers that a step means, as drivers do. A member that is named is taken as it is. */
  async #select({ on, readPreference }: Pick<ClientAction, 'on' | 'readPreference'>): Promise<string[]> {
    let servers: string[] = [];
    const limit = this.#set.nowMicros + SERVER_SELECTION_MICROS;
    const find = () => (readPreference ? this.#suitable(readPreference) : this.#members.toAsk(on));
    const found = await this.#runUntil(() => {
      servers = find();
      return servers.length > 0 && servers.every((server) => on.includes(server) || this.#members.answers(server));
    }, limit);
    if (found) return readPreference ? [this.#choice.pick(servers)] : servers;
    const wanted = readPreference ? showPlain(readPreference) : `"${on.join(', ')}"`;
    throw new StepFailure(
      `a server for ${wanted}`,
      `none within ${formatDuration(SERVER_SELECTION_MICROS)} (serverSelectionTimeoutMS); ${this.#whoIsWhat()}`,
      on.includes('primary') ? { wanted: 'primary' } : {},
    );
  }

  #suitable(readPreference: NonNullable<ClientAction['readPreference']>): string[] {
    const topology = this.#members.topology();
    return suitableServers(topology, readPreference, DEFAULT_SELECTION).map(({ address }) => this.#members.at(address));
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

/** The command's name is its first field. */
function nameOf({ commands }: ClientAction): string {
  return required([...required(commands[0], 'command of the step').value.keys()][0], 'name of the command');
}

/** Of the servers that fit, the one that is asked. */
function chosen([server]: readonly string[]): string {
  return required(server, 'server that was chosen');
}

interface Sent {
  readonly server: string;
  readonly filling: Filling;
  readonly bytes: Uint8Array;
  readonly session: ReturnType<StepSessions['for']>;
  readonly pending: PendingReply;
}

interface Answered {
  readonly member: string;
  readonly reply: Uint8Array;
  readonly endedMicros: number;
}

const LIST_COMMANDS = encodeDocument({ listCommands: 1, $db: 'admin' });
const GET_CONFIG = new Template(
  new Map<string, unknown>([
    ['replSetGetConfig', 1],
    ['$db', 'admin'],
  ]),
);
