import type { Recorded } from '@replsim/replset';
import { recordedStep } from '@replsim/scenario';

/** How much of what came from outside is kept. */
export interface RecordingBounds {
  readonly records: number;
  /** Of clients' commands. */
  readonly bytes: number;
}

const BOUNDS: RecordingBounds = { records: 5000, bytes: 1024 * 1024 };
/** So many lines are written at once: a long command takes as long as many short ones. */
const MOST_LINES = 100;

/** What only clients do: an application alone makes thousands of these a second. */
const BY_CLIENTS: ReadonlySet<Recorded['type']> = new Set([
  'connect',
  'secured',
  'refused',
  'send',
  'awaitEnded',
  'hangUp',
]);

/**
 * What came to a served set from outside, as a recording has it. If it grows too long, what clients sent is let go, and the rest is no
 * recording any more that anybody could repeat, but still says what was done to the set.
 */
export class KeptRecording {
  readonly #bounds: RecordingBounds;
  #records: Recorded[] = [];
  #bytes = 0;
  #edition = 1;
  #hasClients = true;
  /** How many of the oldest are gone, besides what clients sent. */
  #gone = 0;
  readonly #onData: boolean;

  /** @param onData whether the set began with data that it had, which no recording holds */
  constructor(onData: boolean, bounds: RecordingBounds = BOUNDS) {
    this.#onData = onData;
    this.#bounds = bounds;
  }

  add(recorded: Recorded): void {
    if (!this.#hasClients && BY_CLIENTS.has(recorded.type)) return;
    this.#records.push(recorded);
    this.#bytes += bytesOf(recorded);
    if (this.#records.length > this.#bounds.records || this.#bytes > this.#bounds.bytes) this.#shorten();
  }

  /** Another one for each time that what was written is written no more. */
  get edition(): number {
    return this.#edition;
  }

  /** Whether it can be repeated. */
  get isWhole(): boolean {
    return this.#hasClients && !this.#onData;
  }

  get length(): number {
    return this.#records.length;
  }

  /** Some of the lines from a number on, in this edition; none at its end. */
  lines(from: number): readonly string[] {
    return this.#records.slice(from, from + MOST_LINES).map(recordedStep);
  }

  /** What is missing, as a line of YAML. */
  get gap(): string | undefined {
    if (this.isWhole) return undefined;
    if (this.#hasClients)
      return '# The set started with existing data, which this file does not contain, so it makes a different run.\n';
    const older = this.#gone === 0 ? '' : `, and so are the first ${this.#gone} of what was done`;
    return `# What clients sent is left out, because it is too much to keep here${older}: "replsim serve --record FILE" keeps everything.\n`;
  }

  #shorten(): void {
    this.#edition++;
    this.#hasClients = false;
    const doings = this.#records.filter(({ type }) => !BY_CLIENTS.has(type));
    // By half, or the next one would shorten it again.
    const most = { records: this.#bounds.records / 2, bytes: this.#bounds.bytes / 2 };
    let first = doings.length;
    let bytes = 0;
    while (first > 0 && doings.length - first < most.records) {
      bytes += bytesOf(doings[first - 1]!);
      if (bytes > most.bytes) break;
      first--;
    }
    this.#gone += first;
    this.#records = doings.slice(first);
    this.#bytes = this.#records.reduce((sum, each) => sum + bytesOf(each), 0);
  }
}

function bytesOf(recorded: Recorded): number {
  return recorded.type === 'send' || recorded.type === 'command' ? recorded.command.length : 0;
}
