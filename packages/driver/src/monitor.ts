import { decodePromoted, encodeDocument } from '@replsim/protocol';
import type { Answer, ClientEnd } from '@replsim/replset';
import { type DriverOptions, MIN_HEARTBEAT_FREQUENCY_MS } from './driverOptions.ts';
import { describeServer, type ServerDescription, unknownServer } from './serverDescription.ts';

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });
/** The weight of the newest round trip in the mean. Upstream: the server selection specification. */
const ALPHA = 0.2;

/** Whom a monitor tells. */
export interface MonitorListener {
  /** A hello was answered, or failed and the server is Unknown. */
  checked(server: ServerDescription): void;
  /** No answer came in time: whoever waits for one on an open connection need not any longer. */
  silent(address: string): void;
}

/**
 * Asks one server for its hello, again and again: every `heartbeatFrequencyMS`, and sooner when an operation needs to know.
 * Upstream: the server monitoring specification, polling.
 */
export class Monitor {
  readonly #address: string;
  readonly #end: ClientEnd;
  readonly #options: DriverOptions;
  readonly #listener: MonitorListener;
  #roundTripMicros: number | undefined;
  #startedMicros = 0;
  #isChecking = false;
  #wasKnown = false;
  #closed = false;
  /** Takes back whatever is to happen next. */
  #cancel: () => void = () => {};

  constructor(address: string, end: ClientEnd, options: DriverOptions, listener: MonitorListener) {
    this.#address = address;
    this.#end = end;
    this.#options = options;
    this.#listener = listener;
    this.#check();
  }

  /** Somebody cannot wait for the next check. */
  requestCheck(): void {
    if (this.#isChecking || this.#closed) return;
    const soonest = this.#startedMicros + MIN_HEARTBEAT_FREQUENCY_MS * 1000;
    this.#checkAfter(Math.max(0, soonest - this.#end.nowMicros));
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #checkAfter(micros: number): void {
    this.#cancel();
    this.#cancel = this.#end.schedule(micros, () => this.#check());
  }

  #check(): void {
    this.#isChecking = true;
    this.#startedMicros = this.#end.nowMicros;
    const giveUp = this.#end.send(this.#address, HELLO, (answer) => {
      this.#cancel();
      this.#answered(answer);
    });
    const cancelTimeout = this.#end.schedule(this.#options.connectTimeoutMS * 1000, () => {
      giveUp();
      this.#listener.silent(this.#address);
      this.#failed(`no hello within ${this.#options.connectTimeoutMS} ms`);
    });
    this.#cancel = () => {
      cancelTimeout();
      giveUp();
    };
  }

  #answered(answer: Answer): void {
    if (answer.kind !== 'reply') return this.#failed(answer.errmsg);
    const tookMicros = this.#end.nowMicros - this.#startedMicros;
    const mean = this.#roundTripMicros ?? tookMicros;
    this.#roundTripMicros = Math.round(ALPHA * tookMicros + (1 - ALPHA) * mean);
    const reply = decodePromoted(answer.reply);
    this.#wasKnown = reply.ok === 1;
    this.#over(describeServer(this.#address, reply, this.#end.nowMicros, this.#roundTripMicros));
  }

  /** A server that was there a moment ago is asked once more at once: it may have been the connection alone. */
  #failed(error: string): void {
    this.#roundTripMicros = undefined;
    const again = this.#wasKnown;
    this.#wasKnown = false;
    this.#over(unknownServer(this.#address, this.#end.nowMicros, error));
    if (again && !this.#closed) this.#checkAfter(0);
  }

  #over(server: ServerDescription): void {
    this.#isChecking = false;
    this.#checkAfter(this.#options.heartbeatFrequencyMS * 1000);
    this.#listener.checked(server);
  }
}
