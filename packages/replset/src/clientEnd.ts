import type { Link } from '@replsim/kernel';
import type { Answer, ClientEnd } from './api.ts';
import type { FaultyClient } from './clientFaults.ts';
import { type ClientWay, carryBack, carryIn, closedText } from './clientWay.ts';
import { callDue, eventDue } from './due.ts';
import { happen } from './loop.ts';
import type { Member, Process } from './member.ts';
import type { Asker } from './pending.ts';
import type { World } from './world.ts';

/** What a client's operating system does before it calls a connection dead. Upstream: Linux, TCP_RTO_MIN and tcp_retries2. */
const FIRST_RETRANSMISSION_MICROS = 200_000;
const LAST_RETRANSMISSION_MICROS = 120_000_000;
const MAX_RETRANSMISSIONS = 15;

/** What both kinds of client share: timers, and the refusal of a host that nobody knows. */
abstract class Client implements ClientEnd, FaultyClient {
  protected readonly world: World;
  /** As whoever works with it calls it. */
  protected readonly name: string;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
  }

  get nowMicros(): number {
    return this.world.nowMicros;
  }

  /** As faults of clients know it. */
  get appName(): string {
    return this.name;
  }

  protected wayTo(member: string): ClientWay {
    return { member, client: this, name: this.name };
  }

  schedule(afterMicros: number, happenThen: () => void): () => void {
    const handle = this.world.schedule(afterMicros, callDue(this.name, 'timer', happenThen));
    return () => this.world.queue.cancel(handle);
  }

  abstract send(host: string, command: Uint8Array, answered: (answer: Answer) => void): () => void;
}

/** A client outside the network: it reaches every process at once, whatever parts the members. */
export class OutsideClient extends Client {
  send(host: string, command: Uint8Array, answered: (answer: Answer) => void): () => void {
    const { world } = this;
    const member = world.memberAt(host);
    const process = member?.process;
    const way = this.wayTo(member?.name ?? host);
    const request = new Request(world, way, (answer) => {
      world.changes++;
      answered(answer);
    });
    const soon = (call: () => void) => world.schedule(0, callDue(this.name, 'reply', call));
    // The answer to a call comes after the call, even here.
    if (process === undefined) soon(() => request.refuse(refusal(world, host, member)));
    else if (world.clientFaults.cuts(process.member.name, this)) soon(() => request.refuse(closedText(host)));
    else {
      const event = takeIn(world, process, command, request);
      carryIn(world, way, () => world.schedule(0, eventDue(process, event)));
    }
    return () => request.giveUp();
  }
}

/** A client on the network, which stands where a member stands. */
export class LinkedClient extends Client {
  /** Its end of the network: no member bears such a name, so that no partition can speak of it. */
  readonly #end: string;

  constructor(world: World, name: string, near: string) {
    super(world, name);
    this.#end = `client ${name}`;
    world.network.place(this.#end, near);
  }

  send(host: string, command: Uint8Array, answered: (answer: Answer) => void): () => void {
    const { world } = this;
    const member = world.memberAt(host);
    const name = member?.name ?? host;
    const there = world.network.link(this.#end, name);
    const back = world.network.link(name, this.#end);
    const way = this.wayTo(name);
    const request: Request = new Request(world, way, (answer) =>
      carry(world, { client: this.name, what: 'reply', link: back }, request, () => {
        if (!request.givenUp) answered(answer);
      }),
    );
    const sentTo = member?.process;
    carry(world, { client: this.name, what: 'request', link: there }, request, () => {
      const process = member?.process;
      if (process === undefined) request.refuse(refusal(world, host, member));
      else if (sentTo !== undefined && sentTo !== process) request.close(closedText(host));
      else if (world.clientFaults.cuts(process.member.name, this)) request.refuse(closedText(host));
      else {
        const event = takeIn(world, process, command, request);
        carryIn(world, way, () => happen(world, process, event));
      }
    });
    return () => request.giveUp();
  }
}

/** One request of a client, from the moment at which it is sent. */
class Request implements Asker {
  readonly #world: World;
  readonly #way: ClientWay;
  readonly #answered: (answer: Answer) => void;
  givenUp = false;

  constructor(world: World, way: ClientWay, answered: (answer: Answer) => void) {
    this.#world = world;
    this.#way = way;
    this.#answered = answered;
  }

  get client(): FaultyClient {
    return this.#way.client;
  }

  answer(reply: Uint8Array): void {
    const { member } = this.#way;
    const lost = () => this.close(closedText(this.#world.member(member).host));
    carryBack(this.#world, this.#way, () => this.#end({ kind: 'reply', reply }), lost);
  }

  close(errmsg: string): void {
    this.#end({ kind: 'closed', errmsg });
  }

  refuse(errmsg: string): void {
    this.#end({ kind: 'refused', errmsg });
  }

  giveUp(): void {
    this.givenUp = true;
  }

  #end(answer: Answer): void {
    if (!this.givenUp) this.#answered(answer);
  }
}

function takeIn(world: World, process: Process, command: Uint8Array, asker: Asker) {
  const requestId = world.nextRequestId++;
  process.clients.set(requestId, asker);
  return { type: 'command', requestId, command } as const;
}

function refusal(world: World, host: string, member: Member | undefined): string {
  return `${member?.host ?? host}: ${world.whyNobodyAt(host).toLowerCase()}`;
}

/**
 * Carries one segment of a TCP connection over a link: what does not arrive is sent again, each time after twice as long,
 * until the other side has it or one of them gives the connection up. So a request that a partition swallows may be
 * carried out after the partition has healed.
 */
function carry(world: World, segment: Segment, request: Request, arrived: () => void, retransmissions = 0): void {
  const { client, what, link } = segment;
  const again = () => {
    if (retransmissions === MAX_RETRANSMISSIONS) return;
    const wait = Math.min(FIRST_RETRANSMISSION_MICROS * 2 ** retransmissions, LAST_RETRANSMISSION_MICROS);
    world.schedule(
      wait,
      callDue(client, 'retransmission', () => {
        if (!request.givenUp) carry(world, segment, request, arrived, retransmissions + 1);
      }),
    );
  };
  const [atMicros] = link.send('client', world.nowMicros);
  if (atMicros === undefined) return again();
  world.queue.schedule(
    atMicros,
    callDue(client, what, () => (link.deliverable ? arrived() : again())),
  );
}

/** What is carried over a link, and for which client. */
interface Segment {
  readonly client: string;
  readonly what: 'request' | 'reply';
  readonly link: Link;
}
