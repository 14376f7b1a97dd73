import { formatInstant, formatInstantExactly } from '@replsim/kernel';
import { packedOf, TraceUnpacker } from '@replsim/scenario';
import type { CauseLink } from '@replsim/why';
import type { NewStep } from '../edit/insertStep.ts';
import type { Played, Player, Question, Slice } from '../run/player.ts';
import { commandsOf, type LiveCommand } from './commands.ts';
import { hireTeller } from './hireTeller.ts';

type RemoteTeller = Awaited<ReturnType<typeof hireTeller>>;

/** What stands behind the address of a live set's page where it is to play a scenario, as everywhere else. */
export const PLAYED = '?played';

/** Whether `replsim serve --studio` serves this page, and nobody wants a scenario played on it. */
export function isServedLive(): boolean {
  return document.querySelector('meta[name="replsim-live"]') !== null && location.search !== PLAYED;
}

/** What came to the set from outside, as a recording writes it. */
export interface LiveRecording {
  readonly head: string;
  readonly lines: readonly string[];
  /** Whether it can be repeated. */
  readonly isWhole: boolean;
}

/** How it stands with the set, besides its trace. A value: another one takes its place. */
export interface LiveState {
  readonly link: 'opening' | 'live' | 'lost' | 'ended';
  /** The same in words. */
  readonly told: string;
  /** How many events there have been that are not here, and up to when. */
  readonly forgotten: number;
  readonly forgottenMicros: number;
  readonly recording: LiveRecording;
}

/**
 * A set that somebody else drives, on real ports: its trace comes as it grows, and what is clicked is sent to it. What it does not keep
 * any more the page has to do without.
 */
export class LiveSet implements Player {
  #state: LiveState = {
    link: 'opening',
    told: 'looking for the set …',
    forgotten: 0,
    forgottenMicros: 0,
    recording: { head: '', lines: [], isWhole: false },
  };
  readonly #listeners = new Set<() => void>();
  #endMicros = 0;
  #teller: Promise<RemoteTeller> | undefined;
  #stop = () => {};

  get state(): LiveState {
    return this.#state;
  }

  /** @returns what ends that */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Follows the set until it ends. There is no text: it plays what happens to it. */
  play(
    _text: string,
    _seed: number | undefined,
    hear: (slice: Slice) => void | Promise<void>,
  ): Promise<Played | undefined> {
    this.#stop();
    return new Promise((resolve) => {
      const source = new EventSource('live');
      this.#stop = () => {
        source.close();
        resolve(undefined);
      };
      this.#follow(source, hear, () => {
        source.close();
        resolve({ kind: 'played', ok: true, virtualMicros: this.#endMicros, seed: 0, name: 'A live set' });
      });
    });
  }

  async why(question: Question): Promise<readonly CauseLink[]> {
    const answer = (await (await this.#teller)?.whyLive(question)) ?? [];
    const { forgotten, forgottenMicros } = this.#state;
    if (forgotten === 0) return answer;
    const warning = `events up to ${formatInstant(forgottenMicros)} are not kept, so this answer does not know of them`;
    return [...answer, { turn: 0, atMicros: forgottenMicros, text: warning }];
  }

  /** Nobody: its members answer drivers and mongosh, at the instant that it is there. */
  async look(): Promise<undefined> {}

  /**
   * Does to the set what a step says.
   * @param isNow whether whoever has clicked looked at the present
   * @returns why it was not done, in words for them; undefined if it was
   */
  async act(step: NewStep, isNow: boolean): Promise<string | undefined> {
    if (!isNow)
      return 'You are looking at the past, where nothing can be changed. Press “live” to return to the present.';
    try {
      for (const command of commandsOf(step)) {
        const failure = await this.send(command);
        if (failure !== undefined) return failure;
      }
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Sends a command. @returns why it was not carried out; undefined if it was */
  async send(command: LiveCommand): Promise<string | undefined> {
    try {
      const response = await fetch('command', { method: 'POST', body: JSON.stringify(command) });
      return response.ok ? undefined : (await response.text()).trim();
    } catch {
      return 'The set does not answer.';
    }
  }

  /** What was done so far, as a scenario that makes the same run again. */
  scenario(): { readonly text: string; readonly endMicros: number } {
    const { head, lines } = this.#state.recording;
    const endMicros = this.#endMicros;
    const end = `  - { at: ${formatInstantExactly(endMicros)} }`;
    return { text: `${head}${[...lines, end].join('\n')}\n`, endMicros };
  }

  #follow(source: EventSource, hear: (slice: Slice) => void, ended: () => void): void {
    let unpacker = new TraceUnpacker();
    let begins = false;
    this.#teller ??= hireTeller();
    // One after the other, in the order in which they came: the story of each part is told elsewhere.
    let heard: Promise<void> = Promise.resolve();
    const then = (work: (teller: RemoteTeller) => Promise<void>) => {
      heard = heard
        .then(async () => work(await this.#teller!))
        .catch((error: unknown) => this.#turn({ told: String(error) }));
    };
    on(source, 'begin', (data) => {
      const { forgotten, forgottenMicros } = JSON.parse(data);
      then(async (teller) => {
        await teller.beginLive();
        unpacker = new TraceUnpacker();
        begins = true;
        this.#turn({ link: 'live', told: 'live', forgotten, forgottenMicros: forgottenMicros ?? 0 });
      });
    });
    on(source, 'trace', (data) =>
      then(async (teller) => {
        const lines = await teller.tellLive(data);
        const events = unpacker.unpack(packedOf(data));
        this.#endMicros = events.at(-1)?.atMicros ?? this.#endMicros;
        const { forgottenMicros } = this.#state;
        // Of what is kept no more there are single events, and they are no story.
        const told = lines.filter(({ atMicros }) => atMicros >= forgottenMicros);
        hear({ events, lines: told, ...(begins && { begins }) });
        begins = false;
      }),
    );
    on(source, 'recording', (data) => this.#record(JSON.parse(data)));
    on(source, 'ended', (data) =>
      then(async () => {
        this.#turn({ link: 'ended', told: `ended: ${JSON.parse(data).text}` });
        ended();
      }),
    );
    source.addEventListener('error', () => {
      const isOver = source.readyState === EventSource.CLOSED;
      const what = isOver ? 'start it again, and open the address that it prints then' : 'trying again …';
      this.#turn({ link: 'lost', told: `replsim serve no longer answers: ${what}` });
    });
  }

  #record({ text, begun }: { text: string; begun?: { isWhole: boolean; head: string } }): void {
    const { recording } = this.#state;
    const lines = text === '' ? [] : text.trimEnd().split('\n');
    this.#turn({
      recording: begun ? { ...begun, lines } : { ...recording, lines: [...recording.lines, ...lines] },
    });
  }

  #turn(changed: Partial<LiveState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}

function on(source: EventSource, name: string, heard: (data: string) => void): void {
  source.addEventListener(name, ({ data }: MessageEvent<string>) => heard(data));
}
