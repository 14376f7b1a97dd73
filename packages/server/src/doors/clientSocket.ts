import type { Socket } from 'node:net';
import { type ConnectionPeer, type ConnectionRefusal, encodeReply, firstKey } from '@replsim/protocol';
import type { Connection, ConnectionListener, FaultSender } from '@replsim/replset';
import type { Pacer } from '../clock/pacer.ts';
import { REAL_TIME } from '../clock/realTime.ts';
import type { Compression } from '../compression/compression.ts';
import type { Compressed } from '../compression/opCompressed.ts';
import type { SecureDoor } from '../tls/secureDoor.ts';
import type { ClientRequest } from '../wire/clientRequest.ts';
import type { Compressor } from '../wire/compressor.ts';
import { FrameReader } from '../wire/frameReader.ts';
import { readRequest, writeReply } from '../wire/opMsg.ts';
import { writeLegacyReply } from '../wire/opReply.ts';
import { ProtocolError } from '../wire/protocolError.ts';
import { type AdminDoor, isDoorCommand, notAuthorized } from './adminDoor.ts';
import type { DatesBehind } from './datesBehind.ts';
import { type EntranceListener, enter } from './entrance.ts';
import type { Farewell } from './farewell.ts';
import type { Handshakes } from './handshakes.ts';
import { type Limits, LOGIN_PATIENCE_MS, MESSAGE_PATIENCE_MS } from './limits.ts';
import { LoginWatch } from './loginWatch.ts';
import { introducesHosts } from './machineNames.ts';
import type { Newcomers } from './newcomers.ts';
import type { Recorder } from './recorder.ts';
import { nextAwaited } from './streamingHello.ts';
import type { Watchers } from './watchers.ts';
import { withWireSections } from './wireSections.ts';

/** How much a client may send ahead of the answers before its socket is not read any more. Unit: bytes. */
const MAX_WAITING_BYTES = 1_048_576;

/** No timer of Node's is longer: who waits for more than three weeks gets an answer after these. Unit: ms. */
const LONGEST_PATIENCE_MS = 2 ** 31 - 1;

/** How long an answer may take for a client that has no more to say: it may listen still, or be gone for good. Unit: ms. */
const HALF_CLOSED_PATIENCE_MS = 10_000;

/** What a socket needs of the set behind it. */
export interface SocketParts {
  readonly pacer: Pacer;
  readonly recorder: Recorder;
  readonly door: AdminDoor;
  readonly handshakes: Handshakes;
  readonly dates: DatesBehind;
  readonly member: string;
  readonly compression: Compression;
  readonly limits: Limits;
  /** Absent where members have no TLS. */
  readonly secure: SecureDoor | undefined;
  readonly newcomers: Newcomers;
  readonly watchers: Watchers;
  readonly farewell: Farewell;
  connect(remote: string, listener: ConnectionListener): Connection | undefined;
  /** Opens the ports of the hosts that a command names. It never rejects. */
  introduce(command: Uint8Array): Promise<void> | undefined;
  /** A command as a recording may keep it; it does the same. */
  withoutPassword(command: Uint8Array): Uint8Array;
}

/** What a driver's monitor asks first, by its names. */
const HELLO = new Set(['hello', 'isMaster', 'ismaster']);

/** The request whose answer is awaited. */
interface Current {
  readonly request: ClientRequest;
  /** As the member knows it. */
  readonly requestId: number;
  /** The `responseTo` of the answer: the client's message, or in a stream our own message before. */
  readonly responseTo: number;
}

/** One client's socket: takes its requests in order, one after the other, and hands the answers back. */
export class ClientSocket implements ConnectionListener, EntranceListener {
  #socket: Socket;
  readonly #parts: SocketParts;
  readonly #frames = new FrameReader();
  #connection: Connection | undefined;
  /** Its number in a recording. */
  #number = 0;
  readonly #login = new LoginWatch();
  /** When a client is given up that does not go on: with its login, or in the middle of a message. */
  #loginPatience: unknown;
  #messagePatience: unknown;
  #current: Current | undefined;
  /** The client has asked for something before. */
  #known = false;
  /** It has been told whether it is let in. */
  #handshaken = false;
  /** A request has been taken and is not answered. */
  #busy = false;
  /** The client is sent one `hello` after the other without asking again; true between two of them, too. */
  #streams = false;
  /** When an answer is due that waits for news; or when a client that has closed its half is given up. */
  #patience: unknown;
  #replies = 0;
  /** The client sends nothing more. */
  #ended = false;
  /** The member has closed the connection. */
  #hungUp = false;
  /** A command for the door is under way. */
  #asking = false;
  #gone = false;
  #closed = false;

  constructor(socket: Socket, parts: SocketParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#onClose());
    this.#frames.mostBytes = parts.limits.mostBytes(false);
    this.#expectLogin();
    // Before the others: the first bytes may be too few to tell what they begin.
    socket.once('data', () => this.#expectRest());
    enter(socket, parts.secure, this);
    const remote = `${socket.remoteAddress}:${socket.remotePort}`;
    parts.pacer.input(() => this.#connect(remote));
  }

  #connect(remote: string): void {
    if (this.#gone) return;
    this.#connection = this.#parts.connect(remote, this);
    if (this.#connection === undefined) this.destroy();
    else this.#number = this.#parts.recorder.connected(this.#parts.member, remote);
  }

  entered(socket: Socket, first: Uint8Array, peer?: ConnectionPeer): void {
    if (peer !== undefined) this.#parts.pacer.input(() => this.#secured(peer));
    if (socket !== this.#socket) socket.on('error', () => socket.destroy());
    this.#socket = socket;
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('drain', () => this.#next());
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => this.#onClose());
    this.#onData(first);
  }

  #secured(peer: ConnectionPeer): void {
    if (this.#connection === undefined) return;
    this.#parts.recorder.secured(this.#number, peer);
    this.#connection.secured(peer);
  }

  refused(refusal: ConnectionRefusal): void {
    this.#parts.pacer.input(() => {
      if (this.#connection === undefined) return;
      this.#parts.recorder.refused(this.#number, refusal);
      this.#connection.refused(refusal);
      this.#connection = undefined;
    });
  }

  #onData(chunk: Uint8Array): void {
    if (this.#gone || this.#hungUp) return;
    this.#messagePatience = stopped(this.#messagePatience);
    this.#frames.push(chunk);
    if (this.#frames.waitingBytes >= MAX_WAITING_BYTES) this.#socket.pause();
    this.#next();
  }

  /** Takes the next request, once the last one is answered and the client has read the answers so far. */
  #next(): void {
    while (!this.#busy && !this.#gone && !this.#hungUp && !this.#socket.writableNeedDrain) {
      const message = this.#nextMessage();
      if (this.#socket.isPaused() && this.#frames.waitingBytes < MAX_WAITING_BYTES) this.#socket.resume();
      if (message === undefined) {
        if (this.#ended) this.#socket.end();
        else if (this.#frames.isPartial) this.#expectRest();
        return;
      }
      this.#open(message);
    }
  }

  /** Who has begun a message goes on with it. */
  #expectRest(): void {
    stopped(this.#messagePatience);
    this.#messagePatience = REAL_TIME.setTimeout(() => this.#socket.destroy(), MESSAGE_PATIENCE_MS);
  }

  /** Under access control a client that says nothing, or has begun to log in, does not stay for ever. A monitor may. */
  #expectLogin(): void {
    if (!this.#parts.limits.isAccessControlled) return;
    const { state } = this.#login;
    const isExpected = state === 'silent' || state === 'loggingIn';
    if (!isExpected) this.#loginPatience = stopped(this.#loginPatience);
    else this.#loginPatience ??= REAL_TIME.setTimeout(() => this.#socket.destroy(), LOGIN_PATIENCE_MS);
  }

  #askedOf(command: Uint8Array): void {
    this.#login.asked(command);
    this.#expectLogin();
  }

  #answeredOf(command: Uint8Array, reply: Uint8Array): void {
    this.#login.answered(command, reply);
    this.#expectLogin();
    this.#frames.mostBytes = this.#parts.limits.mostBytes(this.#login.state === 'authenticated');
  }

  #nextMessage(): Uint8Array | undefined {
    try {
      return this.#frames.next();
    } catch (error) {
      this.#refuse(error);
      return undefined;
    }
  }

  /** A message that is compressed waits until its compressor can be used. */
  #open(message: Uint8Array): void {
    try {
      const sealed = this.#parts.compression.read(message, this.#frames.mostBytes);
      const loading = sealed?.compressor.load();
      if (sealed === undefined) this.#begin(message);
      else if (loading === undefined) this.#unseal(sealed);
      else this.#unsealLater(sealed, loading);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #unseal(sealed: Compressed): void {
    this.#begin(this.#parts.compression.open(sealed), sealed.compressor);
  }

  #unsealLater(sealed: Compressed, loading: Promise<void>): void {
    this.#busy = true;
    loading.then(
      () => {
        this.#busy = false;
        if (this.#gone || this.#hungUp) return;
        this.#open(sealed.message);
        this.#next();
      },
      // It was said that it can be had, and it cannot.
      () => this.#socket.destroy(),
    );
  }

  #begin(message: Uint8Array, compressor?: Compressor): void {
    let request: ClientRequest;
    try {
      request = readRequest(message);
      if (compressor !== undefined) request = { ...request, compressor };
    } catch (error) {
      this.#refuse(error, compressor);
      return;
    }
    this.#busy = true;
    const { newcomers, watchers } = this.#parts;
    if (this.#known) newcomers.settled(this);
    else if (saysHello(request)) newcomers.arrived(this);
    if (request.exhaustAllowed && saysHello(request)) watchers.behind(this);
    this.#known = true;
    if (isDoorCommand(request.command)) this.#askDoor(request);
    else if (introducesHosts(request.command)) this.#introduce(request);
    else this.#take(request);
  }

  #take(request: ClientRequest): void {
    this.#parts.pacer.input(() => this.#send(request, request.command, request.requestId));
  }

  /** Whoever is introduced can be reached when the command comes in. */
  #introduce(request: ClientRequest): void {
    const introduced = this.#parts.introduce(request.command);
    if (introduced === undefined) this.#take(request);
    else
      introduced.then(() => {
        if (!this.#gone) this.#take(request);
      });
  }

  /** Who does not keep to the protocol is told so where that is possible, and otherwise loses this connection. */
  #refuse(error: unknown, compressor?: Compressor): void {
    if (!(error instanceof ProtocolError)) throw error;
    const { answer, closes, kind = 'msg', requestId, checksummed } = error;
    if (error.isTooLarge) this.#parts.limits.tooLarge(this.#login.state === 'authenticated');
    if (answer !== undefined && requestId !== undefined)
      this.#answer({ kind, checksummed, compressor }, encodeReply({ ok: 0, ...answer }), requestId, false);
    if (!closes) return;
    this.#gone = true;
    // What was answered before is still sent, to a client that reads it.
    this.#socket.destroySoon();
    this.#hurry();
  }

  #askDoor(request: ClientRequest): void {
    if (this.#connection?.managesHost === false) {
      this.#answer(request, notAuthorized(request.command), request.requestId, false);
      return this.#done();
    }
    this.#asking = true;
    this.#parts.door.run(request.command, this.#sender()).then((reply) => {
      this.#asking = false;
      if (this.#gone) return;
      if (!request.moreToCome) this.#answer(request, reply, request.requestId, false);
      if (this.#hungUp) this.#socket.destroySoon();
      else this.#done();
    });
  }

  #sender(): FaultSender | undefined {
    const { member } = this.#parts;
    if (this.#connection === undefined) return undefined;
    const { connectionId, appName } = this.#connection;
    return { member, connectionId, appName };
  }

  #send(request: ClientRequest, sent: Uint8Array, responseTo: number): void {
    if (this.#connection === undefined) return;
    const command = this.#parts.recorder.isWriting ? this.#parts.withoutPassword(sent) : sent;
    const { exhaustAllowed, moreToCome } = request;
    const requestId = this.#connection.send(command, { exhaustAllowed, moreToCome });
    this.#current = { request, requestId, responseTo };
    if (this.#parts.limits.isAccessControlled) this.#askedOf(command);
    this.#parts.recorder.sent(this.#number, command, { exhaustAllowed, moreToCome });
    this.#pull(requestId);
    if (this.#ended) this.#hurry();
  }

  /** Time goes on until it is answered, but not for a client who is kept from its answer. */
  #pull(requestId: number): void {
    if (!this.#connection?.isFrozen) this.#parts.pacer.pull(requestId);
  }

  frozen(isFrozen: boolean): void {
    if (isFrozen) this.#parts.watchers.upToDate(this);
    // One that waits for news pulls nothing.
    if (this.#current === undefined || this.#patience !== undefined) return;
    if (isFrozen) this.#parts.pacer.release(this.#current.requestId);
    else this.#parts.pacer.pull(this.#current.requestId);
  }

  /** Nobody says when a client that has closed its half goes away, and a write may wait for others without end. */
  #hurry(): void {
    this.#patience = REAL_TIME.setTimeout(() => this.#socket.destroy(), HALF_CLOSED_PATIENCE_MS);
  }

  reply(requestId: number, reply: Uint8Array): void {
    this.#parts.pacer.release(requestId);
    this.#endPatience();
    const current = this.#current;
    this.#current = undefined;
    if (current?.requestId !== requestId || this.#gone) return;
    const { request, responseTo } = current;
    if (!this.#handshaken && saysHello(request)) {
      this.#handshaken = true;
      this.#parts.handshakes.answered(reply);
    }
    this.#parts.dates.answered(request.command, reply);
    if (this.#parts.limits.isAccessControlled) this.#answeredOf(request.command, reply);
    const next = request.exhaustAllowed ? nextAwaited(request.command, reply) : undefined;
    this.#streams = next !== undefined;
    if (this.#streams) this.#parts.watchers.behind(this);
    else this.#parts.watchers.upToDate(this);
    if (!request.moreToCome) {
      const shown = withWireSections(request.command, reply, this.#parts);
      this.#answer(request, shown, responseTo, next !== undefined);
    }
    if (next === undefined) return this.#done();
    this.#streamOn(request, next, this.#replies);
  }

  /** Asks on behalf of a client that is streamed to, once it has read what it was told before. */
  #streamOn(request: ClientRequest, next: Uint8Array, responseTo: number): void {
    if (this.#socket.writableNeedDrain) {
      this.#parts.watchers.upToDate(this);
      this.#socket.once('drain', () => this.#streamOn(request, next, responseTo));
    } else this.#parts.pacer.input(() => this.#send(request, next, responseTo));
  }

  #answer(
    { kind, checksummed: checksum, compressor }: Pick<ClientRequest, 'kind' | 'checksummed' | 'compressor'>,
    reply: Uint8Array,
    responseTo: number,
    moreToCome: boolean,
  ): void {
    const header = { requestId: ++this.#replies, responseTo };
    const message =
      kind === 'query' ? writeLegacyReply(reply, header) : writeReply(reply, { ...header, moreToCome, checksum });
    this.#write(compressor === undefined ? message : this.#parts.compression.seal(whole(message), compressor));
  }

  #write(bytes: Uint8Array | Uint8Array[]): void {
    if (this.#socket.destroyed) return;
    if (bytes instanceof Uint8Array) {
      this.#socket.write(bytes);
      return;
    }
    this.#socket.cork();
    for (const part of bytes) this.#socket.write(part);
    this.#socket.uncork();
  }

  #done(): void {
    this.#busy = false;
    this.#next();
  }

  awaiting(requestId: number, forMs: number): void {
    this.#parts.pacer.release(requestId);
    this.#parts.watchers.upToDate(this);
    if (this.#gone) return;
    if (this.#ended) {
      this.#socket.destroy();
      return;
    }
    const over = () => this.#parts.pacer.input(() => this.#patienceOver(requestId));
    this.#patience = REAL_TIME.setTimeout(over, Math.min(forMs, LONGEST_PATIENCE_MS));
  }

  #patienceOver(requestId: number): void {
    if (this.#current?.requestId !== requestId || this.#connection === undefined) return;
    this.#parts.recorder.awaitEnded(this.#number);
    // It may have work to do before it answers.
    this.#pull(requestId);
    this.#connection.awaitEnded(requestId);
  }

  /** The member hangs up. Those who merely watch it hear of it last. */
  closed(): void {
    const watches = this.#streams || this.#current?.request.exhaustAllowed === true;
    this.#forget();
    this.#connection = undefined;
    this.#parts.recorder.closed(this.#number, false);
    this.#hungUp = true;
    // Who asked for the end of the very process that it is connected to hears whether that came about.
    if (!this.#asking) this.#parts.farewell.close(this.#socket, watches);
  }

  /** Half closed: what was asked is answered, but nobody waits for news on a client that has nothing more to say. */
  #onEnd(): void {
    this.#ended = true;
    if (this.#patience !== undefined) this.#socket.destroy();
    else if (this.#current !== undefined) this.#hurry();
    else this.#next();
  }

  /** Nobody is there to answer. */
  destroy(): void {
    this.#parts.farewell.destroy(this.#socket);
  }

  #onClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#gone = true;
    stopped(this.#loginPatience);
    stopped(this.#messagePatience);
    this.#parts.newcomers.settled(this);
    this.#forget();
    this.#parts.pacer.input(() => {
      // A request that stood in line before this has been sent meanwhile, and nobody answers it.
      this.#forget();
      if (this.#connection === undefined) return;
      this.#parts.recorder.closed(this.#number, true);
      this.#connection.close();
      this.#connection = undefined;
    });
  }

  #endPatience(): void {
    if (this.#patience === undefined) return;
    REAL_TIME.clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  #forget(): void {
    this.#endPatience();
    this.#parts.watchers.upToDate(this);
    if (this.#current !== undefined) this.#parts.pacer.release(this.#current.requestId);
    this.#current = undefined;
  }
}

/** @returns that nothing is waited for */
function stopped(timer: unknown): undefined {
  if (timer !== undefined) REAL_TIME.clearTimeout(timer);
}

function whole(message: Uint8Array | Uint8Array[]): Uint8Array {
  return message instanceof Uint8Array ? message : Buffer.concat(message);
}

function saysHello({ kind, command }: ClientRequest): boolean {
  return kind === 'query' || HELLO.has(firstKey(command));
}
