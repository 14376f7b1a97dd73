import { decodePromoted, encodeDocument } from '@replsim/protocol';
import type { Answer, ClientEnd } from '@replsim/replset';
import { ObjectId } from 'bson';

type Command = Record<string, unknown>;
/** What a server does with a command: answers, breaks, refuses, or stays silent. */
type Does = object | 'closed' | 'refused' | 'silent';

/** A network end without a network: servers say what a test says, 1 ms there and 1 ms back. */
export class FakeEnd implements ClientEnd {
  nowMicros = 0;
  /** `ms address command`, hellos too. */
  readonly sent: string[] = [];
  readonly commands: Command[] = [];
  /** What a server does with anything but hello. */
  does: (address: string, command: Command) => Does = () => ({ ok: 1 });
  /** What a server's hello says; 'closed', 'refused', 'silent' as above. */
  readonly hellos = new Map<string, Does>();
  readonly #due: { atMicros: number; happen: () => void }[] = [];

  schedule(afterMicros: number, happen: () => void): () => void {
    const due = { atMicros: this.nowMicros + afterMicros, happen };
    this.#due.push(due);
    return () => {
      const at = this.#due.indexOf(due);
      if (at >= 0) this.#due.splice(at, 1);
    };
  }

  send(host: string, bytes: Uint8Array, answered: (answer: Answer) => void): () => void {
    const command = decodePromoted(bytes);
    const [name] = Object.keys(command);
    this.sent.push(`${this.nowMicros / 1000} ${host} ${name}`);
    if (name !== 'hello') this.commands.push(command);
    return this.schedule(2000, () => {
      const does = name === 'hello' ? (this.hellos.get(host) ?? 'refused') : this.does(host, command);
      if (does === 'silent') return;
      if (does === 'closed' || does === 'refused') answered({ kind: does, errmsg: `${host} ${does}` });
      else answered({ kind: 'reply', reply: encodeDocument(does) });
    });
  }

  /** Lets time pass. */
  advanceTo(ms: number): void {
    for (;;) {
      const [next] = this.#due.toSorted((a, b) => a.atMicros - b.atMicros);
      if (!next || next.atMicros > ms * 1000) break;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.nowMicros = next.atMicros;
      next.happen();
    }
    this.nowMicros = ms * 1000;
  }

  /** When a server was asked for its hello, in ms. */
  hellosTo(address: string): number[] {
    return this.sent.flatMap((line) => {
      const [ms, to, name] = line.split(' ');
      return to === address && name === 'hello' ? [Number(ms)] : [];
    });
  }

  /** What was sent besides hellos. */
  get operations(): string[] {
    return this.sent.filter((line) => !line.endsWith(' hello'));
  }
}

const HOSTS = ['a:1', 'b:1', 'c:1'];
const member = { ok: 1, setName: 'rs', hosts: HOSTS, setVersion: 1, logicalSessionTimeoutMinutes: 30 };

/** A primary's hello. */
export function primary(me: string, term = 1, more: object = {}): object {
  const electionId = new ObjectId(`7fffffff${String(term).padStart(16, '0')}`);
  return { ...member, me, isWritablePrimary: true, secondary: false, electionId, ...more };
}

/** A secondary's hello. */
export function secondary(me: string, more: object = {}): object {
  return { ...member, me, isWritablePrimary: false, secondary: true, ...more };
}
