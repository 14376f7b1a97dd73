import { connect, type Socket } from 'node:net';
import { Long, ObjectId, serialize, UUID } from 'bson';

const OP_MSG = 2013;
/** Header, flags and the kind of the only section. */
const BEFORE_BODY_BYTES = 21;

/** A client that does next to nothing: it sends messages that it has ready, one after the other, and does not read the answers. */
export class BareClient {
  readonly #socket: Socket;
  readonly #lsid = { id: new UUID() };
  #txnNumber = 0;
  #answered: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    // An answer to one small insert is one chunk.
    socket.on('data', () => this.#answered());
  }

  /** @param host `name:port` */
  static connect(host: string): Promise<BareClient> {
    const [name, port] = host.split(':');
    return new Promise((resolve, reject) => {
      const socket = connect({ host: name!, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new BareClient(socket)));
    });
  }

  /** The messages of so many inserts, as a driver would send them: retryable, each with a number of its own. */
  inserts(count: number): readonly Buffer[] {
    return Array.from({ length: count }, () =>
      message({
        insert: 'c',
        documents: [{ _id: new ObjectId(), x: 1 }],
        ordered: true,
        writeConcern: { w: 1 },
        lsid: this.#lsid,
        txnNumber: Long.fromNumber(++this.#txnNumber),
        $db: 'app',
      }),
    );
  }

  async send(messages: readonly Buffer[]): Promise<void> {
    for (const each of messages) {
      await new Promise<void>((resolve) => {
        this.#answered = resolve;
        this.#socket.write(each);
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

function message(command: object): Buffer {
  const body = serialize(command);
  const bytes = Buffer.alloc(BEFORE_BODY_BYTES + body.length);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(1, 4);
  bytes.writeInt32LE(OP_MSG, 12);
  bytes.set(body, BEFORE_BODY_BYTES);
  return bytes;
}
